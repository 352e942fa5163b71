#include "common/io/leader_connection.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <set>

#include "common/check.h"

namespace cox {
namespace {

constexpr long look_around_ns = 250'000'000;  // so long without an answer, and then again and again

// What is said goes to who answered last. As long as nobody answers, the others are asked the same:
// at once when they are told that who was asked does not lead, else after a while. Each is asked
// once, unless it has said that it does not lead: it may do so later. Whoever answers is the leader
// from then on; an answer of a former one may still come.
class LeaderConnection : public Connection {
 public:
  explicit LeaderConnection(std::vector<std::unique_ptr<Connection>> controllers)
      : controllers_(std::move(controllers)),
        timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
    CHECK(timer_ >= 0);
  }
  ~LeaderConnection() override {
    polled_.reset();
    ::close(timer_);
  }

  void add_to(Poller& poller) override {
    for (const auto& one : controllers_) one->add_to(poller);
    polled_ = poller.add_readable(timer_);
  }

  void send(const std::vector<Message>& messages) override {
    said_ = messages;
    asked_ = {leader_};
    controllers_[leader_]->send(messages);
    set_timer(true);
  }

  std::vector<Message> receive() override {
    std::vector<Message> heard;
    bool ask_now = take_timer();
    for (std::size_t at = 0; at < controllers_.size(); ++at) {
      for (Message& message : controllers_[at]->receive()) {
        if (std::holds_alternative<NotLeader>(message)) {
          ask_now = ask_now || asked_.size() == 1;  // the first that was asked
          asked_.erase(at);
          refused_.insert(at);
        } else {
          leader_ = at;
          said_.clear();
          heard.push_back(std::move(message));
        }
      }
    }
    if (said_.empty()) set_timer(false);
    if (ask_now && !said_.empty()) ask_around();
    refused_.clear();
    return heard;
  }

  bool is_lost() override { return false; }

 private:
  void ask_around() {
    for (std::size_t at = 0; at < controllers_.size(); ++at)
      if (!refused_.contains(at) && asked_.insert(at).second) controllers_[at]->send(said_);
  }

  void set_timer(bool runs) {
    if (runs == timer_runs_) return;
    timer_runs_ = runs;
    const timespec pause{0, runs ? look_around_ns : 0};
    const itimerspec times{pause, pause};
    CHECK(::timerfd_settime(timer_, 0, &times, nullptr) == 0);
  }

  bool take_timer() {
    std::uint64_t count = 0;
    return ::read(timer_, &count, sizeof count) == sizeof count;
  }

  std::vector<std::unique_ptr<Connection>> controllers_;
  std::size_t leader_ = 0;
  std::vector<Message> said_;      // and not answered
  std::set<std::size_t> asked_;    // have it
  std::set<std::size_t> refused_;  // in this turn: not to be asked again in it
  int timer_ = -1;
  bool timer_runs_ = false;
  std::shared_ptr<void> polled_;
};

}  // namespace

std::unique_ptr<Connection> follow_leader(std::vector<std::unique_ptr<Connection>> controllers) {
  return std::make_unique<LeaderConnection>(std::move(controllers));
}

}  // namespace cox
