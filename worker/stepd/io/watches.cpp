#include "worker/stepd/io/watches.h"

#include <sys/epoll.h>

#include <array>

#include "common/base/check.h"

namespace cox {

Watches::Watches() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  CHECK(epoll_.is_open());
}

void Watches::add(int fd, Watch watch) {
  epoll_event event{};
  event.events = watch.kind == Kind::Input ? EPOLLOUT : EPOLLIN;
  event.data.fd = fd;
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  watches_[fd] = watch;
}

void Watches::remove(int fd) {
  if (watches_.erase(fd) == 0) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::vector<Watches::Watch> Watches::ready() {
  std::array<epoll_event, 256> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  std::vector<Watch> found;
  for (int i = 0; i < count; ++i) {
    const auto watch = watches_.find(events[static_cast<std::size_t>(i)].data.fd);
    if (watch != watches_.end()) found.push_back(watch->second);
  }
  return found;
}

}  // namespace cox
