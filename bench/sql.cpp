#include "bench/sql.h"

#include <libpq-fe.h>

#include "bench/measure.h"

namespace cox::bench {
namespace {

std::vector<const char*> pointers(const std::vector<Cell>& cells) {
  std::vector<const char*> all;
  for (const Cell& cell : cells) all.push_back(cell ? cell->c_str() : nullptr);
  return all;
}

void expect(pg_conn* connection, const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_PIPELINE_SYNC ||
      status == PGRES_COPY_IN)
    return;
  give_up(std::string("PostgreSQL: ") + PQerrorMessage(connection));
}

std::string escaped_for_copy(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

Sql::Sql(const std::string& database) : connection_(PQconnectdb(database.c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK)
    give_up(std::string("PostgreSQL: ") + PQerrorMessage(connection_));
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
}

Sql::~Sql() {
  PQfinish(connection_);
}

std::vector<Row> Sql::run(const std::string& text, const std::vector<Cell>& parameters) {
  const auto values = pointers(parameters);
  PGresult* result = PQexecParams(connection_, text.c_str(), static_cast<int>(values.size()),
                                  nullptr, values.data(), nullptr, nullptr, 0);
  expect(connection_, result);
  std::vector<Row> rows;
  for (int i = 0; i < PQntuples(result); ++i) {
    Row& row = rows.emplace_back();
    for (int k = 0; k < PQnfields(result); ++k)
      row.push_back(PQgetisnull(result, i, k) ? Cell{} : Cell{PQgetvalue(result, i, k)});
  }
  PQclear(result);
  return rows;
}

void Sql::prepare(const std::string& name, const std::string& text) {
  PGresult* result = PQprepare(connection_, name.c_str(), text.c_str(), 0, nullptr);
  expect(connection_, result);
  PQclear(result);
}

void Sql::execute(const std::string& name, const std::vector<Cell>& parameters) {
  const auto values = pointers(parameters);
  PGresult* result = PQexecPrepared(connection_, name.c_str(), static_cast<int>(values.size()),
                                    values.data(), nullptr, nullptr, 0);
  expect(connection_, result);
  PQclear(result);
}

void Sql::enter_pipeline() {
  if (PQenterPipelineMode(connection_) != 1) give_up("no pipeline mode");
}

void Sql::queue(const std::string& name, const std::vector<Cell>& parameters) {
  send(name, parameters);
  ++queued_;
}

void Sql::sync() {
  if (PQpipelineSync(connection_) != 1) give_up(PQerrorMessage(connection_));
  for (int left = queued_; left >= 0;) {
    PGresult* result = PQgetResult(connection_);
    if (result == nullptr) continue;  // between two statements
    expect(connection_, result);
    if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) left = -1;
    PQclear(result);
  }
  queued_ = 0;
}

void Sql::send(const std::string& name, const std::vector<Cell>& parameters) {
  const auto values = pointers(parameters);
  if (PQsendQueryPrepared(connection_, name.c_str(), static_cast<int>(values.size()), values.data(),
                          nullptr, nullptr, 0) != 1)
    give_up(PQerrorMessage(connection_));
}

int Sql::fd() const {
  return PQsocket(connection_);
}

bool Sql::take_answer() {
  if (PQconsumeInput(connection_) != 1) give_up(PQerrorMessage(connection_));
  if (PQisBusy(connection_) == 1) return false;
  while (PGresult* result = PQgetResult(connection_)) {
    expect(connection_, result);
    PQclear(result);
  }
  return true;
}

void Sql::copy_in(const std::string& target, const std::vector<Row>& rows) {
  PGresult* begun = PQexec(connection_, ("COPY " + target + " FROM STDIN").c_str());
  expect(connection_, begun);
  PQclear(begun);
  for (const Row& row : rows) {
    std::string line;
    for (const Cell& cell : row) {
      if (!line.empty()) line += '\t';
      line += cell ? escaped_for_copy(*cell) : "\\N";
    }
    line += '\n';
    if (PQputCopyData(connection_, line.data(), static_cast<int>(line.size())) != 1)
      give_up(PQerrorMessage(connection_));
  }
  if (PQputCopyEnd(connection_, nullptr) != 1) give_up(PQerrorMessage(connection_));
  while (PGresult* result = PQgetResult(connection_)) {
    expect(connection_, result);
    PQclear(result);
  }
}

std::vector<Column> Sql::columns(const std::string& table) {
  std::vector<Column> all;
  for (const Row& row : run("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                            "WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped "
                            "AND attgenerated = '' AND attidentity = '' ORDER BY attnum",
                            {table}))
    all.push_back({*row[0], *row[1]});
  return all;
}

std::string array_text(const std::vector<Cell>& cells) {
  std::string out = "{";
  for (const Cell& cell : cells) {
    if (out.size() > 1) out += ',';
    if (!cell) {
      out += "NULL";
      continue;
    }
    out += '"';
    for (const char c : *cell) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

}  // namespace cox::bench
