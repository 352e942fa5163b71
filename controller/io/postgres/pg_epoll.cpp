#include "controller/io/postgres/pg_epoll.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/check.h"

namespace cox {

PgEpoll::PgEpoll() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_ >= 0);
}

PgEpoll::~PgEpoll() {
  ::close(epoll_);
}

void PgEpoll::watch(const PgConnection& connection) {
  const Watched now{connection.fd(), connection.events(), connection.socket_number()};
  Watched& before = watched_[&connection];
  if (now == before) return;
  if (before.fd >= 0 && before.fd != now.fd) epoll_ctl(epoll_, EPOLL_CTL_DEL, before.fd, nullptr);
  before = now;
  if (now.fd < 0) return;
  epoll_event wanted{};
  wanted.events = static_cast<std::uint32_t>(now.events);
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, now.fd, &wanted) != 0)
    epoll_ctl(epoll_, EPOLL_CTL_ADD, now.fd, &wanted);
}

}  // namespace cox
