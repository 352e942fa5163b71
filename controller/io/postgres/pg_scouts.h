// Looks after every server of a connection string that names several, replicas too: one connection
// to each, which asks every second whether it takes writes by now. So a promoted replica is known
// though the former primary still answers, and one that starts does not begin with the wrong one.
// Passive like its connections; the leader polls it, and whoever stands by.
#pragma once

#include <memory>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/time.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/pg_epoll.h"

namespace cox {

class PgScouts {
 public:
  explicit PgScouts(PgServers& servers);  // none where there is one server

  void poll(Boot now);
  int fd() const { return epoll_.fd(); }
  Milliseconds next_in(Boot now) const;  // poll() by then, though nothing arrived
  // Each has said what its server is, or that it does not answer.
  bool have_looked() const;

 private:
  struct Scout {
    Scout(PgServers& servers, std::size_t server) : connection(servers, server) {}
    PgConnection connection;
    Backoff backoff = connection_backoff();
    Boot ask_at{};
    bool has_looked = false;
  };
  void poll(Scout& scout, Boot now);

  PgEpoll epoll_;
  std::vector<std::unique_ptr<Scout>> scouts_;
};

}  // namespace cox
