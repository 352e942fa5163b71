// A blocking connection by plain libpq, for the calibrators: they measure PostgreSQL without code
// of the product. A fault ends the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct pg_conn;

namespace cox::bench {

using Cell = std::optional<std::string>;  // as text; nullopt is NULL
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

  // Pipeline mode: queue() collects statements; sync() sends them and waits for all results.
  void enter_pipeline();
  void queue(const std::string& name, const std::vector<Cell>& parameters);
  void sync();

  void send(const std::string& name, const std::vector<Cell>& parameters);  // without waiting
  int fd() const;
  bool take_answer();  // takes the result of a send(); false: it has not arrived

  // target: "table (column, ...)"
  void copy_in(const std::string& target, const std::vector<Row>& rows);
  // Returns the columns that an INSERT writes: neither generated columns nor identities.
  std::vector<Column> columns(const std::string& table);

 private:
  pg_conn* connection_;
  int queued_ = 0;
};

// Returns an array literal of the cells.
std::string array_text(const std::vector<Cell>& cells);

}  // namespace cox::bench
