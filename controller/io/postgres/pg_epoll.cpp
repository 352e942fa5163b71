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
  const int fd = connection.fd();
  int& watched = watched_.try_emplace(&connection, -1).first->second;
  if (watched >= 0 && watched != fd) epoll_ctl(epoll_, EPOLL_CTL_DEL, watched, nullptr);
  watched = fd;
  if (fd < 0) return;
  epoll_event wanted{};
  wanted.events = static_cast<std::uint32_t>(connection.events());
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &wanted) != 0)
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &wanted);
}

}  // namespace cox
