// A PostgreSQL server of the test program, which all tests share. It is made with initdb in a new
// folder under /tmp, listens only on a Unix socket, and is removed at the end. If the tests run as
// root, it runs as user postgres, since PostgreSQL refuses to run as root.
#pragma once

#include <sys/types.h>

#include <string>

struct pg_conn;

namespace cox::test {

class PrivatePostgres {
 public:
  static PrivatePostgres& shared();
  ~PrivatePostgres();

  // Creates a database, empty or with the schema of this program. Returns its connection string.
  std::string new_database();
  std::string migrated_database();
  void kill_and_restart();  // SIGKILL, then recovery
  void kill();
  void start();  // starts the server; waits until it answers

 private:
  PrivatePostgres();
  std::string conninfo(const std::string& database) const;
  std::string create(const std::string& database, const std::string& options = "");

  std::string dir_;
  std::string programs_;  // .../bin/
  pid_t server_ = -1;
  int databases_ = 0;
  bool is_migrated_ = false;  // the database "migrated" exists
};

// A connection to the database beside those of the store, as an administrator has one.
class SqlSession {
 public:
  explicit SqlSession(const std::string& conninfo);
  ~SqlSession();
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  // Returns the cells of the last result: one row a line, "a|b" for two cells. Returns "ERROR
  // <sqlstate> …" after an error.
  std::string run(const std::string& sql);
  int socket() const;

 private:
  pg_conn* connection_;
};

// Runs the SQL on a new connection. Returns the result as SqlSession::run() does.
std::string run_sql(const std::string& conninfo, const std::string& sql);

}  // namespace cox::test
