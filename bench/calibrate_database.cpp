#include "bench/calibrate_database.h"

#include <poll.h>

#include <map>
#include <memory>
#include <vector>

#include "bench/measure.h"
#include "bench/sql.h"

namespace cox::bench {
namespace {

constexpr std::int64_t batch_jobs = 500;

// A table of the product, its columns, and the rows that a real job has in it.
struct Pattern {
  std::string table;
  std::vector<Column> columns;
  std::vector<Row> rows;

  std::string column_list() const {
    std::string list;
    for (const Column& c : columns) list += (list.empty() ? "" : ", ") + c.name;
    return list;
  }
  std::string target() const { return "cox_bench." + table + " (" + column_list() + ")"; }
  // Returns a row of the pattern as the row of another job, as a controller first writes it.
  Row row(std::size_t which, std::int64_t job) const {
    Row copy = rows[which];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& name = columns[i].name;
      if (name == "job_id" || (name == "id" && table == "job")) copy[i] = std::to_string(job);
      if (name == "request_id") copy[i] = "calibrator-" + std::to_string(job);
      // These are the first values of the row; updates bring the job to its end.
      if (name == "state" && table == "job") copy[i] = "PENDING";
      if (name == "phase") copy[i] = table == "rank" ? "waiting" : "preparing";
      if (name == "started_at" || name == "went_at" || name == "ended_at") copy[i].reset();
    }
    return copy;
  }
};

Pattern read_pattern(Sql& sql, const std::string& table, const std::string& job) {
  Pattern pattern{table, sql.columns("cox." + table), {}};
  const std::string key = table == "job" ? "id" : "job_id";
  pattern.rows = sql.run(
      "SELECT " + pattern.column_list() + " FROM cox." + table + " WHERE " + key + " = $1", {job});
  if (pattern.rows.empty()) give_up("the pattern job has no rows in cox." + table);
  return pattern;
}

// Makes empty copies of the product's tables in the schema cox_bench. Returns the pattern of each.
std::map<std::string, Pattern> make_tables(Sql& sql) {
  sql.run("DROP SCHEMA IF EXISTS cox_bench CASCADE");
  sql.run("CREATE SCHEMA cox_bench");
  const auto jobs = sql.run("SELECT max(id)::text FROM cox.job WHERE state = 'COMPLETED'");
  if (!jobs[0][0]) give_up("there is no completed job to take the pattern of rows from");
  std::map<std::string, Pattern> patterns;
  for (const char* table : {"job", "attempt", "attempt_node", "rank", "job_event"}) {
    patterns[table] = read_pattern(sql, table, *jobs[0][0]);
    sql.run(std::string("CREATE TABLE cox_bench.") + table + " (LIKE cox." + table +
            " INCLUDING ALL)");
  }
  return patterns;
}

void drop_tables(Sql& sql) {
  sql.run("DROP SCHEMA cox_bench CASCADE");
}

std::string insert_values(const Pattern& pattern) {
  std::string values;
  for (std::size_t i = 0; i < pattern.columns.size(); ++i)
    values += (i == 0 ? "$" : ", $") + std::to_string(i + 1);
  return "INSERT INTO " + pattern.target() + " VALUES (" + values + ")";
}

std::string insert_batch(const Pattern& pattern) {
  std::string casts, arrays, names;
  for (std::size_t i = 0; i < pattern.columns.size(); ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const std::string name = "c" + std::to_string(i);
    casts += comma + name + "::" + pattern.columns[i].type;
    arrays += comma + "$" + std::to_string(i + 1) + "::text[]";
    names += comma + name;
  }
  return "INSERT INTO " + pattern.target() + " SELECT " + casts + " FROM unnest(" + arrays +
         ") AS w(" + names + ")";
}

// Returns the rows as one array for each column.
std::vector<Cell> by_column(const std::vector<Row>& rows) {
  std::vector<Cell> arrays;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    std::vector<Cell> column;
    for (const Row& row : rows) column.push_back(row[i]);
    arrays.emplace_back(array_text(column));
  }
  return arrays;
}

// Returns row `which` of the pattern once for each job of a batch, whose first job has the id
// `first`; as one array for each column.
std::vector<Cell> batch_of(const Pattern& pattern, std::size_t which, std::int64_t first) {
  std::vector<Row> rows;
  for (std::int64_t job = first; job < first + batch_jobs; ++job)
    rows.push_back(pattern.row(std::min(which, pattern.rows.size() - 1), job));
  return by_column(rows);
}

void prepare_updates(Sql& sql) {
  const std::string jobs = " FROM unnest($1::bigint[]) AS w(id) WHERE ";
  const auto update = [&](const std::string& name, const std::string& table, const std::string& set,
                          const std::string& key) {
    sql.prepare(name,
                "UPDATE cox_bench." + table + " AS t SET " + set + jobs + "t." + key + " = w.id");
  };
  update("job_placed", "job", "state = 'CONFIGURING', attempt = 1, why = 'placed'", "id");
  update("job_runs", "job", "state = 'RUNNING', started_at = now(), why = 'ready'", "id");
  update("job_ends", "job", "state = 'COMPLETED', ended_at = now(), why = 'all exited'", "id");
  update("attempt_runs", "attempt", "went_at = now()", "job_id");
  update("attempt_ends", "attempt", "ended_at = now(), outcome = 'completed'", "job_id");
  update("node_ready", "attempt_node", "phase = 'ready', revision = 1", "job_id");
  update("node_gone", "attempt_node", "phase = 'gone', revision = 2", "job_id");
  update("rank_exits", "rank", "phase = 'exited', ended_at = now()", "job_id");
}

void run_batch(Sql& sql, const std::map<std::string, Pattern>& patterns, std::int64_t first) {
  std::vector<Cell> ids;
  for (std::int64_t job = first; job < first + batch_jobs; ++job)
    ids.emplace_back(std::to_string(job));
  const std::vector<Cell> jobs = {array_text(ids)};
  const auto insert = [&](const std::string& table, std::size_t which) {
    sql.queue("insert_" + table, batch_of(patterns.at(table), which, first));
  };
  insert("job", 0);
  insert("job_event", 0);
  sql.sync();
  sql.queue("job_placed", jobs);
  for (const char* table : {"attempt", "attempt_node", "rank"}) insert(table, 0);
  insert("job_event", 1);
  sql.sync();
  for (const char* name : {"job_runs", "attempt_runs", "node_ready"}) sql.queue(name, jobs);
  insert("job_event", 2);
  sql.sync();
  for (const char* name : {"job_ends", "attempt_ends", "node_gone", "rank_exits"})
    sql.queue(name, jobs);
  insert("job_event", 3);
  insert("job_event", 4);
  sql.sync();
}

}  // namespace

void calibrate_commits(const std::string& database, int clients, double seconds) {
  Sql setup(database);
  const Pattern job = make_tables(setup).at("job");
  std::vector<std::unique_ptr<Sql>> connections;
  std::vector<pollfd> watched;
  std::vector<std::int64_t> sent_at;
  std::vector<double> milliseconds;
  std::int64_t next = 1;
  const auto send = [&](std::size_t i) {
    sent_at[i] = now_ns();
    connections[i]->send("insert", job.row(0, next++));
  };
  for (int i = 0; i < clients; ++i) {
    connections.push_back(std::make_unique<Sql>(database));
    connections.back()->prepare("insert", insert_values(job));
    watched.push_back({connections.back()->fd(), POLLIN, 0});
    sent_at.push_back(0);
  }
  const std::int64_t began = now_ns();
  for (std::size_t i = 0; i < connections.size(); ++i) send(i);
  // A busy machine may need longer than this for the first answer.
  while (milliseconds.empty() || seconds_since(began) < seconds) {
    ::poll(watched.data(), watched.size(), 1000);
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (watched[i].revents == 0 || !connections[i]->take_answer()) continue;
      milliseconds.push_back(seconds_since(sent_at[i]) * 1e3);
      send(i);
    }
  }
  const std::string name = "commit_" + std::to_string(clients);
  report(name, static_cast<double>(milliseconds.size()) / seconds_since(began), "rows/s");
  report_quantiles(name + "_latency", milliseconds, "ms");
  connections.clear();
  drop_tables(setup);
}

void calibrate_copy(const std::string& database, std::int64_t rows) {
  Sql sql(database);
  const Pattern job = make_tables(sql).at("job");
  std::vector<Row> all;
  for (std::int64_t i = 1; i <= rows; ++i) all.push_back(job.row(0, i));
  const std::int64_t began = now_ns();
  sql.copy_in(job.target(), all);
  report("copy", static_cast<double>(rows) / seconds_since(began), "rows/s");
  drop_tables(sql);
}

void calibrate_lifecycles(const std::string& database, std::int64_t jobs) {
  Sql sql(database);
  const auto patterns = make_tables(sql);
  for (const auto& [table, pattern] : patterns)
    sql.prepare("insert_" + table, insert_batch(pattern));
  prepare_updates(sql);
  sql.enter_pipeline();
  const std::int64_t began = now_ns();
  std::int64_t done = 0;
  for (; done < jobs; done += batch_jobs) run_batch(sql, patterns, done + 1);
  report("lifecycles", static_cast<double>(done) / seconds_since(began), "jobs/s");
  Sql other(database);
  drop_tables(other);
}

}  // namespace cox::bench
