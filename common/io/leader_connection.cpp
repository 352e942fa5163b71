#include "common/io/leader_connection.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

#include "common/backoff.h"
#include "common/check.h"
#include "common/io/clock.h"
#include "common/standing_by.h"

namespace cox {
namespace {

// So long without an answer, and then again and again, ever more rarely.
constexpr Milliseconds look_around_first{250};
constexpr Milliseconds look_around_last{2'000};

// From a controller that answers, though another one may lead by now.
bool is_unsure(const Message& message) {
  if (const auto* ack = std::get_if<HeartbeatAck>(&message)) return ack->unsure;
  const auto* reply = std::get_if<Reply>(&message);
  const auto* refused = reply == nullptr ? nullptr : std::get_if<Refused>(&reply->body);
  return refused != nullptr && refused->retry;
}

bool answers(const Message& message, std::int64_t number) {
  if (const auto* reply = std::get_if<Reply>(&message)) return reply->number == number;
  const auto* ack = std::get_if<HeartbeatAck>(&message);
  return ack == nullptr || ack->number == number;
}

// What is said goes to who answered last. As long as nobody answers, the others are asked the same:
// at once when they are told that who was asked does not lead, else after a while. Each is asked
// once, unless it has said that it does not lead: it may do so later. What must not be done twice
// goes to nobody else as long as one of them may have done it. Whoever answers is the leader from
// then on; an answer of a former one may still come.
//
// A leader that cannot reach the database says so with what it answers: another one may lead. Such
// an answer counts only when all others have said, of the same message, that they do not: a node
// must not live by the word of a leader that is none, while another gives its jobs away.
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
    number_ = number_of(messages);
    asked_ = {leader_};
    refused_.clear();
    unsure_.reset();
    is_first_ = true;
    controllers_[leader_]->send(messages);
    look_around_.succeeded();
    set_timer(look_around_.failed());
  }

  std::vector<Message> receive() override {
    std::vector<Message> heard;
    const bool is_due = take_timer();
    for (std::size_t at = 0; at < controllers_.size(); ++at)
      for (Message& message : controllers_[at]->receive()) take(at, message, heard);
    if (unsure_ && refused_.size() + 1 == controllers_.size()) settle(*unsure_, heard);
    if (said_.empty()) set_timer(Milliseconds{0});
    if (is_due && !said_.empty()) set_timer(look_around_.failed());
    // The one that was asked first has said that it does not lead, or that it may not: at once.
    const bool at_once = is_first_ && (unsure_ || !refused_.empty());
    if ((is_due || at_once) && !said_.empty()) ask_around(is_due);
    return heard;
  }

  bool is_lost() override { return false; }

 private:
  struct Unsure {
    std::size_t from = 0;
    Message message;
  };

  void take(std::size_t at, Message& message, std::vector<Message>& heard) {
    if (const auto* other = std::get_if<NotLeader>(&message)) {
      if (other->number != number_) return;  // of something that was said before
      asked_.erase(at);
      refused_.insert(at);
      return;
    }
    const bool counts = !said_.empty() && answers(message, number_);
    if (is_unsure(message)) {
      if (counts) unsure_ = {at, std::move(message)};
      return;
    }
    leader_ = at;
    if (counts) said_.clear();
    heard.push_back(std::move(message));
  }

  // Nobody else leads.
  void settle(Unsure& unsure, std::vector<Message>& heard) {
    if (auto* ack = std::get_if<HeartbeatAck>(&unsure.message)) ack->unsure = false;
    leader_ = unsure.from;
    heard.push_back(std::move(unsure.message));
    unsure_.reset();
    said_.clear();
  }

  // `again`: also those that have said that they do not lead.
  void ask_around(bool again) {
    is_first_ = false;
    const bool may_be_done = !asked_.empty() && !unsure_;
    if (may_be_done && !std::ranges::all_of(said_, may_be_done_twice)) return;
    for (std::size_t at = 0; at < controllers_.size(); ++at) {
      if (unsure_ && unsure_->from == at) continue;
      if (!again && refused_.contains(at)) continue;
      if (asked_.insert(at).second) controllers_[at]->send(said_);
    }
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
  std::size_t leader_ = 0;
  std::vector<Message> said_;      // and not answered
  std::int64_t number_ = 0;        // of it
  std::set<std::size_t> asked_;    // have it
  std::set<std::size_t> refused_;  // have said, of it, that they do not lead
  std::optional<Unsure> unsure_;
  bool is_first_ = false;  // only the leader was asked
  Backoff look_around_{look_around_first, look_around_last, random_seed()};
  int timer_ = -1;
  Milliseconds pause_{0};  // of the timer; 0: it stands
  std::shared_ptr<void> polled_;
};

}  // namespace

std::unique_ptr<Connection> follow_leader(std::vector<std::unique_ptr<Connection>> controllers) {
  return std::make_unique<LeaderConnection>(std::move(controllers));
}

}  // namespace cox
