#include "common/messages/leader_follower.h"

#include <algorithm>
#include <utility>

#include "common/messages/standing_by.h"

namespace cox {
namespace {

// From a controller that answers, though another one may lead by now.
bool is_unsure(const Message& message) {
  if (const auto* ack = std::get_if<HeartbeatAck>(&message)) return ack->unsure;
  const auto* reply = std::get_if<Reply>(&message);
  if (reply == nullptr) return false;
  const auto* refused = std::get_if<Refused>(&reply->body);
  return reply->as_of != Wall{} || (refused != nullptr && refused->retry);
}

bool changes_something(const Message& message) {
  const auto* request = std::get_if<Request>(&message);
  return request != nullptr && !only_asks(*request);
}

bool bears_number(const Message& message) {
  return std::holds_alternative<Reply>(message) || std::holds_alternative<HeartbeatAck>(message);
}

bool answers(const Message& message, std::int64_t number, const std::vector<Message>& said) {
  if (const auto* reply = std::get_if<Reply>(&message)) return reply->number == number;
  if (const auto* ack = std::get_if<HeartbeatAck>(&message)) return ack->number == number;
  const auto* welcome = std::get_if<Welcome>(&message);  // it names the session alone
  return welcome != nullptr && std::ranges::any_of(said, [&](const Message& one) {
           const auto* hello = std::get_if<WorkerHello>(&one);
           return hello != nullptr && hello->session == welcome->session;
         });
}

}  // namespace

bool is_unsettled(const Refused& refused) {
  return refused.why.fact.ends_with(unsettled_words);
}

std::optional<std::size_t> LeaderFollower::say(const std::vector<Message>& messages) {
  const std::int64_t number = number_of(messages);
  if (number == 0) return leader_;
  if (!said_.empty() && number == number_) {
    say_again();
    return std::nullopt;
  }
  if (said_.empty()) begin_pause();
  said_ = messages;
  number_ = number;
  asked_.clear();
  refused_.clear();
  unanswered_.clear();
  unsure_.reset();
  to_ask_.clear();
  is_first_ = true;
  ask(leader_);
  return std::nullopt;
}

// To those that have it and have said nothing yet.
void LeaderFollower::say_again() {
  for (const std::size_t one : asked_)
    if (!unsure_ || unsure_->from != one) to_ask_.push_back(one);
}

void LeaderFollower::begin_pause() {
  look_around_.succeeded();
  pause_ = look_around_.failed();
}

void LeaderFollower::ask(std::size_t one) {
  if (asked_.insert(one).second) to_ask_.push_back(one);
}

std::vector<std::size_t> LeaderFollower::take_asked() {
  for (const std::size_t one : to_ask_) unanswered_[one] += 1;
  return std::exchange(to_ask_, {});
}

void LeaderFollower::take(std::size_t from, Message message, std::vector<Message>& heard) {
  if (const auto* other = std::get_if<NotLeader>(&message)) {
    if (said_.empty() || other->number != number_) return;  // of something else
    asked_.erase(from);
    refused_.insert(from);
    unanswered_[from] -= 1;
    return;
  }
  const bool counts = !said_.empty() && answers(message, number_, said_);
  if (is_unsure(message)) {
    if (counts) unsure_ = {from, std::move(message), false};
    return;
  }
  if (counts || bears_number(message)) leader_ = from;
  if (counts) note_if_unsettled(message, from);
  if (counts) {
    said_.clear();
  } else if (!said_.empty() && bears_number(message)) {
    begin_pause();  // it lives, and owes the answer to what was said since
  }
  heard.push_back(std::move(message));
}

void LeaderFollower::settle(bool is_due, std::vector<Message>& heard) {
  const bool nobody_leads = refused_.size() + 1 == controllers_;
  if (unsure_ && (nobody_leads || (is_due && counts_at_last()))) believe(*unsure_, heard);
  if (said_.empty()) {
    pause_ = Milliseconds{0};
    return;
  }
  if (is_due) pause_ = look_around_.failed();
  // The one that was asked first has said that it does not lead, or that it may not: at once.
  const bool at_once = is_first_ && (unsure_ || !refused_.empty());
  if (is_due || at_once) ask_around(is_due);
  if (is_due && unsure_) unsure_->all_asked = true;
}

// When a pause is over. REQUIRES: there is an unsure answer.
bool LeaderFollower::counts_at_last() const {
  const bool was_long = pause_ > look_around_last / 2;
  return was_long && unsure_->all_asked && std::holds_alternative<Reply>(unsure_->message);
}

bool LeaderFollower::is_settled(std::size_t refused_by) const {
  if (std::ranges::none_of(said_, changes_something)) return true;
  return std::ranges::none_of(unanswered_, [&](const auto& copies) {
    return copies.first != refused_by && copies.second > 0;
  });
}

void LeaderFollower::note_if_unsettled(Message& message, std::size_t from) const {
  auto* reply = std::get_if<Reply>(&message);
  auto* refused = reply == nullptr ? nullptr : std::get_if<Refused>(&reply->body);
  if (refused != nullptr && !is_settled(from)) refused->why.fact += unsettled_words;
}

// Nobody else leads, as far as can be known.
void LeaderFollower::believe(Unsure& unsure, std::vector<Message>& heard) {
  if (auto* ack = std::get_if<HeartbeatAck>(&unsure.message)) ack->unsure = false;
  note_if_unsettled(unsure.message, unsure.from);
  leader_ = unsure.from;
  heard.push_back(std::move(unsure.message));
  unsure_.reset();
  said_.clear();
}

// `again`: also those that have said that they do not lead.
void LeaderFollower::ask_around(bool again) {
  is_first_ = false;
  const bool may_be_done = !asked_.empty() && !unsure_;
  if (may_be_done && !std::ranges::all_of(said_, may_be_done_twice)) return;
  for (std::size_t at = 0; at < controllers_; ++at) {
    if (unsure_ && unsure_->from == at) continue;
    if (!again && refused_.contains(at)) continue;
    ask(at);
  }
}

}  // namespace cox
