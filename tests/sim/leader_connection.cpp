#include "tests/sim/leader_connection.h"

#include "common/base/check.h"

namespace cox::sim {
namespace {

constexpr std::string_view controller_prefix = "controller-";

std::size_t index_of(const std::string& end) {
  CHECK(end.starts_with(controller_prefix));
  return std::stoul(end.substr(controller_prefix.size())) - 1;
}

}  // namespace

std::string controller_end(std::size_t index) {
  return std::string(controller_prefix) + std::to_string(index + 1);
}

void LeaderConnection::send_to_leader(const std::vector<Message>& messages) {
  if (const auto alone = follower_.submit(messages)) return send(*alone, messages);
  carry_out();
}

void LeaderConnection::send(std::size_t index, const std::vector<Message>& messages) {
  for (const Message& message : messages) network_.send(end_, controller_end(index), message);
}

std::vector<Message> LeaderConnection::take(const std::string& from, const Message& message) {
  std::vector<Message> accepted;
  follower_.take(index_of(from), message, accepted);
  follower_.settle(false, accepted);
  carry_out();
  return accepted;
}

void LeaderConnection::carry_out() {
  for (const std::size_t index : follower_.take_recipients()) send(index, follower_.pending());
  if (follower_.pause() == pause_) return;
  pause_ = follower_.pause();
  timer_ = std::make_shared<char>();
  run_timer();
}

void LeaderConnection::run_timer() {
  if (pause_ == Milliseconds{0}) return;
  scene_.agenda.after(pause_, [this, timer = std::weak_ptr(timer_)] {
    if (timer.expired()) return;
    std::vector<Message> accepted;
    // Any replies that this yields are temporary refusals. They are dropped, because the sender
    // repeats its request.
    follower_.settle(true, accepted);
    const std::shared_ptr<char> before = timer_;
    carry_out();
    if (timer_ == before) run_timer();
  });
}

}  // namespace cox::sim
