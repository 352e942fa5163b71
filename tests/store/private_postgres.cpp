#include "tests/store/private_postgres.h"

#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "controller/io/postgres/schema.h"
#include "tests/patience.h"

namespace cox::test {
namespace {

std::string newest_programs() {
  glob_t found{};
  CHECK(glob("/usr/lib/postgresql/*/bin/initdb", 0, nullptr, &found) == 0);
  std::string newest = found.gl_pathv[found.gl_pathc - 1];
  globfree(&found);
  return newest.substr(0, newest.size() - std::string("initdb").size());
}

// Returns the account as which the server runs: user postgres if this process is root, otherwise
// the user of this process.
const passwd* server_account() {
  const passwd* const account = geteuid() == 0 ? getpwnam("postgres") : getpwuid(geteuid());
  CHECK(account != nullptr);
  return account;
}

pid_t start_program(const std::vector<std::string>& words, const std::string& log) {
  const passwd account = *server_account();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child > 0) return child;
  if (geteuid() == 0 &&
      (setgroups(0, nullptr) != 0 || setgid(account.pw_gid) != 0 || setuid(account.pw_uid) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, 1);
  dup2(out, 2);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

PrivatePostgres& PrivatePostgres::shared() {
  static PrivatePostgres server;
  return server;
}

PrivatePostgres::PrivatePostgres() : programs_(newest_programs()) {
  char pattern[] = "/tmp/cox-pg-XXXXXX";
  CHECK(mkdtemp(pattern) != nullptr);
  dir_ = pattern;
  if (geteuid() == 0) CHECK(chown(dir_.c_str(), server_account()->pw_uid, -1) == 0);
  const pid_t made = start_program({programs_ + "initdb", "-D", dir_ + "/data", "-U", "tester",
                                    "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"},
                                   dir_ + "/log");
  int status = 0;
  CHECK(waitpid(made, &status, 0) == made && status == 0);
  start();
}

PrivatePostgres::~PrivatePostgres() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void PrivatePostgres::start() {
  // A process of a killed server may hold the shared memory for a moment, so this starts the server
  // again and again until it answers.
  const auto deadline = std::chrono::steady_clock::now() + patience();
  while (std::chrono::steady_clock::now() < deadline) {
    if (server_ <= 0 || waitpid(server_, nullptr, WNOHANG) != 0)
      server_ =
          start_program({programs_ + "postgres", "-D", dir_ + "/data", "-k", dir_, "-c",
                         "listen_addresses=", "-c", "fsync=off", "-c", "deadlock_timeout=100ms"},
                        dir_ + "/log");
    if (PQping(conninfo("postgres").c_str()) == PQPING_OK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(false && "the private PostgreSQL does not start");
}

void PrivatePostgres::kill() {
  ::kill(server_, SIGKILL);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

void PrivatePostgres::kill_and_restart() {
  kill();
  start();
}

std::string PrivatePostgres::conninfo(const std::string& database) const {
  return "host=" + dir_ + " user=tester dbname=" + database;
}

std::string PrivatePostgres::create(const std::string& database, const std::string& options) {
  CHECK(run_sql(conninfo("postgres"), "CREATE DATABASE " + database + options).empty());
  return conninfo(database);
}

std::string PrivatePostgres::new_database() {
  return create("test" + std::to_string(++databases_));
}

// Copies a database, since a migration takes several times as long.
std::string PrivatePostgres::migrated_database() {
  if (!std::exchange(is_migrated_, true)) {
    PgServers servers(create("migrated"));
    CHECK(!migrate_schema(servers));
  }
  return create("test" + std::to_string(++databases_), " TEMPLATE migrated");
}

SqlSession::SqlSession(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
  CHECK(PQstatus(connection_) == CONNECTION_OK);
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
}

int SqlSession::socket() const {
  return PQsocket(connection_);
}

SqlSession::~SqlSession() {
  PQfinish(connection_);
}

std::string SqlSession::run(const std::string& sql) {
  PGresult* const result = PQexec(connection_, sql.c_str());
  std::string text;
  if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK) {
    const char* const sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    text = std::string("ERROR ") + (sqlstate == nullptr ? "" : sqlstate) + " " +
           PQresultErrorMessage(result);
  }
  for (int row = 0; row < PQntuples(result); ++row) {
    if (row > 0) text += '\n';
    for (int column = 0; column < PQnfields(result); ++column)
      text += (column > 0 ? "|" : "") + std::string(PQgetvalue(result, row, column));
  }
  PQclear(result);
  return text;
}

std::string run_sql(const std::string& conninfo, const std::string& sql) {
  return SqlSession(conninfo).run(sql);
}

}  // namespace cox::test
