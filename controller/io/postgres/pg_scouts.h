// Watches all servers of a connection string that names several, replicas included. A connection to
// each queries every second whether the server takes writes now. So a promoted replica is noticed
// while the former primary still answers, and a controller that starts does not begin with a former
// primary. The object has no thread: leaders and standbys poll it (controller/io/leader_host.cpp).
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
  explicit PgScouts(PgServers& servers);  // if there is only one server, watches nothing

  void poll(Boot now);
  int fd() const { return epoll_.fd(); }
  // Returns the time until poll() must be called, even if nothing has arrived.
  Milliseconds next_in(Boot now) const;
  // Returns whether every server has been queried once: it has answered, or the query has failed.
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
