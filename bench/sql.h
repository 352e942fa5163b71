// Plain libpq for the calibrators: what PostgreSQL itself takes for our rows, with nothing of ours
// in between. Waiting and simple; faults end the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct pg_conn;

namespace cox::bench {

using Cell = std::optional<std::string>;  // in text; nothing: NULL
using Row = std::vector<Cell>;

struct Column {
  std::string name;
  std::string type;
};

class Sql {
 public:
  explicit Sql(const std::string& database);
  ~Sql();
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  std::vector<Row> run(const std::string& text, const std::vector<Cell>& parameters = {});
  void prepare(const std::string& name, const std::string& text);
  void execute(const std::string& name, const std::vector<Cell>& parameters);

  // Pipelined: queued, sent with the next sync, all answers taken then.
  void enter_pipeline();
  void queue(const std::string& name, const std::vector<Cell>& parameters);
  void sync();

  void send(const std::string& name, const std::vector<Cell>& parameters);  // without waiting
  int fd() const;
  bool take_answer();  // of a send(), if it is there

  // target: "table (column, ...)"
  void copy_in(const std::string& target, const std::vector<Row>& rows);
  // Those that are written: neither generated nor counted by PostgreSQL.
  std::vector<Column> columns(const std::string& table);

 private:
  pg_conn* connection_;
  int queued_ = 0;
};

// An array literal of the cells.
std::string array_text(const std::vector<Cell>& cells);

}  // namespace cox::bench
