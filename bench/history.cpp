#include "bench/history.h"

#include "bench/measure.h"
#include "bench/sql.h"

namespace cox::bench {
namespace {

// Returns the SQL expression of a column of copy number g, out of `jobs` copies. p is the row that
// is copied.
std::string copied(const std::string& table, const Column& column, const std::string& jobs) {
  if (column.name == "job_id" || (column.name == "id" && table == "job")) return "g - 1 - " + jobs;
  if (column.name == "request_id") return "md5(g::text)";
  if (column.type == "timestamp with time zone")
    return "p." + column.name + " - interval '1 day' - (" + jobs + " - g) * interval '100 ms'";
  return "p." + column.name;
}

// Returns the INSERT of all copies. The outer join writes the rows of one job after those of
// another, in the order in which a controller would have written them.
std::string copy_statement(const std::string& table, const std::vector<Column>& columns,
                           const std::string& pattern, const std::string& jobs) {
  std::string names, values;
  for (const Column& column : columns) {
    const std::string comma = names.empty() ? "" : ", ";
    names += comma + column.name;
    values += comma + copied(table, column, jobs);
  }
  const std::string key = table == "job" ? "id" : "job_id";
  return "INSERT INTO cox." + table + " (" + names + ") SELECT " + values +
         " FROM generate_series(1, " + jobs + ") g LEFT JOIN LATERAL (SELECT * FROM cox." + table +
         " WHERE " + key + " = " + pattern + ") p ON true";
}

}  // namespace

void write_history(const std::string& database, std::int64_t jobs) {
  Sql sql(database);
  const auto found = sql.run("SELECT max(id)::text FROM cox.job WHERE state = 'COMPLETED'");
  if (!found[0][0]) give_up("there is no completed job to take the pattern of rows from");
  // Skips the checks of foreign keys, which hold.
  sql.run("SET session_replication_role = replica");
  sql.run("SELECT cox.create_event_partitions(now() - interval '1 day' - " + std::to_string(jobs) +
          " * interval '100 ms', 1)");
  for (const std::string table : {"job", "attempt", "attempt_node", "rank", "job_event"})
    sql.run(copy_statement(table, sql.columns("cox." + table), *found[0][0], std::to_string(jobs)));
  sql.run("VACUUM ANALYZE");
  sql.run("CHECKPOINT");  // flushes these rows now, not during a measurement
}

}  // namespace cox::bench
