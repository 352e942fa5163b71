#include "common/io/leader_connection.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/io/clock.h"
#include "common/messages/leader_follower.h"

namespace cox {
namespace {

// Connections to all controllers, with a LeaderFollower that decides which of them gets a message.
// This class adds the sockets and the timer.
class LeaderConnection : public Connection {
 public:
  explicit LeaderConnection(std::vector<std::unique_ptr<Connection>> controllers)
      : controllers_(std::move(controllers)),
        follower_(controllers_.size(), random_seed()),
        timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
    CHECK(timer_ >= 0);
  }
  // Drops unsent messages to controllers that are not the leader, so that closing does not wait for
  // them. The leader has answered these messages, or nobody will.
  ~LeaderConnection() override {
    for (std::size_t at = 0; at < controllers_.size(); ++at)
      if (at != follower_.leader()) controllers_[at]->drop_unsent_at_close();
    polled_.reset();
    ::close(timer_);
  }

  void add_to(Poller& poller) override {
    for (const auto& one : controllers_) one->add_to(poller);
    polled_ = poller.add_readable(timer_);
  }

  void send(const std::vector<Message>& messages) override {
    if (const auto alone = follower_.submit(messages)) return controllers_[*alone]->send(messages);
    carry_out();
  }

  std::vector<Message> receive() override {
    std::vector<Message> accepted;
    const bool is_due = take_timer();
    for (std::size_t at = 0; at < controllers_.size(); ++at)
      for (Message& message : controllers_[at]->receive())
        follower_.take(at, std::move(message), accepted);
    follower_.settle(is_due, accepted);
    carry_out();
    return accepted;
  }

  bool is_lost() override { return false; }
  void drop_unsent_at_close() override {
    for (const auto& one : controllers_) one->drop_unsent_at_close();
  }

 private:
  void carry_out() {
    for (const std::size_t at : follower_.take_recipients())
      controllers_[at]->send(follower_.pending());
    set_timer(follower_.pause());
  }

  void set_timer(Milliseconds pause) {
    if (pause == pause_) return;
    pause_ = pause;
    const long ns = std::chrono::duration_cast<std::chrono::nanoseconds>(pause % 1'000).count();
    const timespec time{std::chrono::duration_cast<std::chrono::seconds>(pause).count(), ns};
    const itimerspec times{time, time};
    CHECK(::timerfd_settime(timer_, 0, &times, nullptr) == 0);
  }

  bool take_timer() {
    std::uint64_t count = 0;
    return ::read(timer_, &count, sizeof count) == sizeof count;
  }

  std::vector<std::unique_ptr<Connection>> controllers_;
  LeaderFollower follower_;
  int timer_ = -1;
  Milliseconds pause_{0};  // time to which the timer is set; 0: it is stopped
  std::shared_ptr<void> polled_;
};

}  // namespace

std::unique_ptr<Connection> follow_leader(std::vector<std::unique_ptr<Connection>> controllers) {
  return std::make_unique<LeaderConnection>(std::move(controllers));
}

}  // namespace cox
