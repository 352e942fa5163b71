// One epoll descriptor for several connections. The descriptor never changes, although libpq closes
// and opens sockets while it connects. Used by classes that have several PgConnections and offer
// their own caller one descriptor to poll.
#pragma once

#include <map>

#include "controller/io/postgres/pg_connection.h"

namespace cox {

class PgEpoll {
 public:
  PgEpoll();
  ~PgEpoll();
  PgEpoll(const PgEpoll&) = delete;
  PgEpoll& operator=(const PgEpoll&) = delete;

  int fd() const { return epoll_; }
  // Updates the set of watched descriptors. Called whenever the connection's fd() or events() may
  // have changed. REQUIRES: the connection lives as long as this object.
  void watch(const PgConnection& connection);

 private:
  struct Watched {
    int fd = -1;
    short events = 0;
    std::int64_t socket_number = 0;

    bool operator==(const Watched&) const = default;
  };

  int epoll_ = -1;
  std::map<const PgConnection*, Watched> watched_;
};

}  // namespace cox
