#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/check.h"
#include "common/io/link.h"

namespace cox {
namespace {

short zmq_events(short events) {
  short result = 0;
  if ((events & POLLIN) != 0) result |= ZMQ_POLLIN;
  if ((events & POLLOUT) != 0) result |= ZMQ_POLLOUT;
  if ((events & POLLPRI) != 0) result |= ZMQ_POLLPRI;
  return result;
}

// Returns whether the parent has set the signal to be ignored. It is then not blocked: a script
// that requeues its own job ignores SIGTERM, so that its command still receives the reply.
bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

int open_signal_fd(Poller::Hangup hangup) {
  sigset_t signals;
  sigemptyset(&signals);
  const bool is_daemon = hangup == Poller::Hangup::ReadsAgain;
  for (const int number : {SIGTERM, SIGINT})
    if (is_daemon || !is_ignored(number)) sigaddset(&signals, number);
  if (hangup == Poller::Hangup::ReadsAgain) sigaddset(&signals, SIGHUP);
  CHECK(::sigprocmask(SIG_BLOCK, &signals, nullptr) == 0);
  const int fd = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0);
  return fd;
}

class ZmqPoller : public Poller {
 public:
  explicit ZmqPoller(Hangup hangup)
      : sockets_(std::make_shared<std::set<void*>>()),
        readable_(std::make_shared<std::set<int>>()),
        signal_fd_(open_signal_fd(hangup)) {
    // write() to a lost peer then returns an error and does not end this process.
    ::signal(SIGPIPE, SIG_IGN);
  }
  ~ZmqPoller() override { ::close(signal_fd_); }

  void add_fd(int fd, short events) override {
    CHECK(fd >= 0);
    events_[fd] = zmq_events(events);
  }

  std::shared_ptr<void> add_readable(int fd) override {
    CHECK(fd >= 0);
    readable_->insert(fd);
    return {readable_.get(), [readable = std::weak_ptr(readable_), fd](void*) {
              if (auto still = readable.lock()) still->erase(fd);
            }};
  }

  void remove_fd(int fd) override {
    events_.erase(fd);
    ready_.erase(fd);
  }

  void wait(Milliseconds timeout) override {
    std::vector<zmq_pollitem_t> items;
    items.reserve(sockets_->size() + events_.size() + readable_->size() + 1);
    for (void* socket : *sockets_) items.push_back({socket, 0, ZMQ_POLLIN, 0});
    for (const auto& [fd, events] : events_) items.push_back({nullptr, fd, events, 0});
    for (const int fd : *readable_) items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
    items.push_back({nullptr, signal_fd_, ZMQ_POLLIN, 0});
    ready_.clear();
    const auto timeout_ms = std::max<std::int64_t>(timeout.count(), 0);
    const int rc = zmq_poll(items.data(), static_cast<int>(items.size()), timeout_ms);
    if (rc < 0) {
      CHECK(zmq_errno() == EINTR);
      return;
    }
    for (const auto& item : items) {
      if (item.socket == nullptr && item.revents != 0) ready_.insert(item.fd);
    }
  }

  bool ready(int fd) const override { return ready_.contains(fd); }

  bool is_end_requested() override {
    read_signals();
    return std::exchange(asked_to_end_, false);
  }

  bool is_reload_requested() override {
    read_signals();
    return std::exchange(asked_to_read_again_, false);
  }

  std::shared_ptr<void> add_zmq(void* socket) override {
    sockets_->insert(socket);
    // Holds the set of sockets and not the poller, since either object may be destroyed first.
    return {socket, [sockets = std::weak_ptr(sockets_)](void* gone) {
              if (auto still = sockets.lock()) still->erase(gone);
            }};
  }

 private:
  void read_signals() {
    signalfd_siginfo signal;
    while (::read(signal_fd_, &signal, sizeof signal) == sizeof signal) {
      (signal.ssi_signo == SIGHUP ? asked_to_read_again_ : asked_to_end_) = true;
    }
  }

  std::shared_ptr<std::set<void*>> sockets_;
  std::shared_ptr<std::set<int>> readable_;
  std::map<int, short> events_;
  std::set<int> ready_;
  int signal_fd_;
  bool asked_to_end_ = false;
  bool asked_to_read_again_ = false;
};

}  // namespace

std::unique_ptr<Poller> Poller::create(Hangup hangup) {
  return std::make_unique<ZmqPoller>(hangup);
}

}  // namespace cox
