// A PostgreSQL server of the test program's own: made with initdb in a new folder under /tmp, on a
// Unix socket only, one for the whole program, gone with it. As root it runs as user postgres,
// since PostgreSQL refuses root.
#pragma once

#include <sys/types.h>

#include <string>

struct pg_conn;

namespace cox::test {

class PrivatePostgres {
 public:
  static PrivatePostgres& shared();
  ~PrivatePostgres();

  std::string new_database();  // its connection string
  void kill_and_restart();     // as by kill -9, then recovery
  void kill();
  void start();  // waits until it answers

 private:
  PrivatePostgres();
  std::string conninfo(const std::string& database) const;

  std::string dir_;
  std::string programs_;  // .../bin/
  pid_t server_ = -1;
  int databases_ = 0;
};

// A connection of a person's, beside the store's own.
class SqlSession {
 public:
  explicit SqlSession(const std::string& conninfo);
  ~SqlSession();
  SqlSession(const SqlSession&) = delete;
  SqlSession& operator=(const SqlSession&) = delete;

  // All cells of the last result, "a|b" a row, one row a line; a refusal is "ERROR <sqlstate> …".
  std::string run(const std::string& sql);
  int socket() const;

 private:
  pg_conn* connection_;
};

// The same, on a connection for this once.
std::string run_sql(const std::string& conninfo, const std::string& sql);

}  // namespace cox::test
