// One descriptor that stands for several connections, always the same: libpq closes and opens its
// sockets by itself while it connects, and a closed one has left the set. For whoever owns
// PgConnections and is polled itself.
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
  // After whatever may have changed its socket or what it waits for.
  void watch(const PgConnection& connection);

 private:
  int epoll_ = -1;
  std::map<const PgConnection*, int> watched_;
};

}  // namespace cox
