#include "common/messages/leader_follower.h"

#include <algorithm>
#include <utility>

#include "common/messages/standing_by.h"

namespace cox {
namespace {

// Returns whether the sender is unsure that it still leads, since it cannot reach the database: its
// answer counts only in some cases (leader_follower.h).
bool is_unsure(const Message& message) {
  if (const auto* ack = std::get_if<HeartbeatAck>(&message)) return ack->unsure;
  const auto* reply = std::get_if<Reply>(&message);
  if (reply == nullptr) return false;
  const auto* refused = std::get_if<Refused>(&reply->body);
  return reply->as_of != Wall{} || (refused != nullptr && refused->retry);
}

bool changes_something(const Message& message) {
  const auto* request = std::get_if<Request>(&message);
  return request != nullptr && !is_read_only(*request);
}

bool has_number(const Message& message) {
  return std::holds_alternative<Reply>(message) || std::holds_alternative<HeartbeatAck>(message);
}

bool is_answer_to(const Message& message, std::int64_t number,
                  const std::vector<Message>& messages) {
  if (const auto* reply = std::get_if<Reply>(&message)) return reply->number == number;
  if (const auto* ack = std::get_if<HeartbeatAck>(&message)) return ack->number == number;
  // It has the session of its hello, but no number.
  const auto* welcome = std::get_if<Welcome>(&message);
  return welcome != nullptr && std::ranges::any_of(messages, [&](const Message& one) {
           const auto* hello = std::get_if<WorkerHello>(&one);
           return hello != nullptr && hello->session == welcome->session;
         });
}

}  // namespace

bool has_unknown_outcome(const Refused& refused) {
  return refused.why.fact.ends_with(outcome_unknown_text);
}

std::optional<std::size_t> LeaderFollower::submit(const std::vector<Message>& messages) {
  const std::int64_t number = number_of(messages);
  if (number == 0) return leader_;
  if (!pending_.empty() && number == number_) {
    resend();
    return std::nullopt;
  }
  if (pending_.empty()) begin_pause();
  pending_ = messages;
  number_ = number;
  sent_to_.clear();
  refused_.clear();
  unanswered_.clear();
  unsure_.reset();
  recipients_.clear();
  only_leader_has_it_ = true;
  send_to(leader_);
  return std::nullopt;
}

// Sends the messages again to the controllers that have them and have not answered.
void LeaderFollower::resend() {
  for (const std::size_t one : sent_to_)
    if (!unsure_ || unsure_->from != one) recipients_.push_back(one);
}

void LeaderFollower::begin_pause() {
  pauses_.succeeded();
  pause_ = pauses_.failed();
}

void LeaderFollower::send_to(std::size_t one) {
  if (sent_to_.insert(one).second) recipients_.push_back(one);
}

std::vector<std::size_t> LeaderFollower::take_recipients() {
  for (const std::size_t one : recipients_) unanswered_[one] += 1;
  return std::exchange(recipients_, {});
}

void LeaderFollower::take(std::size_t from, Message message, std::vector<Message>& accepted) {
  if (const auto* other = std::get_if<NotLeader>(&message)) {
    if (pending_.empty() || other->number != number_) return;  // about other messages
    sent_to_.erase(from);
    refused_.insert(from);
    unanswered_[from] -= 1;
    return;
  }
  const bool counts = !pending_.empty() && is_answer_to(message, number_, pending_);
  if (is_unsure(message)) {
    if (counts) unsure_ = {from, std::move(message), false};
    return;
  }
  if (counts || has_number(message)) leader_ = from;
  if (counts) note_unknown_outcome(message, from);
  if (counts) {
    pending_.clear();
  } else if (!pending_.empty() && has_number(message)) {
    begin_pause();  // that controller is alive, but has not answered the newest messages yet
  }
  accepted.push_back(std::move(message));
}

void LeaderFollower::settle(bool is_due, std::vector<Message>& accepted) {
  const bool nobody_leads = refused_.size() + 1 == controllers_;
  if (unsure_ && (nobody_leads || (is_due && counts_after_pause())))
    accept_unsure(*unsure_, accepted);
  if (pending_.empty()) {
    pause_ = Milliseconds{0};
    return;
  }
  if (is_due) pause_ = pauses_.failed();
  // The first controller that got the messages does not lead, or is unsure: send them to the others
  // at once.
  const bool at_once = only_leader_has_it_ && (unsure_ || !refused_.empty());
  if (is_due || at_once) send_to_others(is_due);
  if (is_due && unsure_) unsure_->others_had_time = true;
}

// Returns whether the unsure answer counts after a pause although some controllers have not
// replied. REQUIRES: there is an unsure answer.
bool LeaderFollower::counts_after_pause() const {
  const bool pause_was_long = pause_ > longest_pause / 2;
  return pause_was_long && unsure_->others_had_time &&
         std::holds_alternative<Reply>(unsure_->message);
}

bool LeaderFollower::is_outcome_known(std::size_t refused_by) const {
  if (std::ranges::none_of(pending_, changes_something)) return true;
  return std::ranges::none_of(unanswered_, [&](const auto& copies) {
    return copies.first != refused_by && copies.second > 0;
  });
}

void LeaderFollower::note_unknown_outcome(Message& message, std::size_t from) const {
  auto* reply = std::get_if<Reply>(&message);
  auto* refused = reply == nullptr ? nullptr : std::get_if<Refused>(&reply->body);
  if (refused != nullptr && !is_outcome_known(from)) refused->why.fact += outcome_unknown_text;
}

// Accepts the unsure answer, because no other controller is known to lead.
void LeaderFollower::accept_unsure(Unsure& unsure, std::vector<Message>& accepted) {
  if (auto* ack = std::get_if<HeartbeatAck>(&unsure.message)) ack->unsure = false;
  note_unknown_outcome(unsure.message, unsure.from);
  leader_ = unsure.from;
  accepted.push_back(std::move(unsure.message));
  unsure_.reset();
  pending_.clear();
}

// Sends the messages to further controllers, unless they must not be carried out twice and one may
// carry them out. `again`: also to those that have replied that they do not lead.
void LeaderFollower::send_to_others(bool again) {
  only_leader_has_it_ = false;
  const bool may_be_carried_out = !sent_to_.empty() && !unsure_;
  if (may_be_carried_out && !std::ranges::all_of(pending_, is_idempotent)) return;
  for (std::size_t at = 0; at < controllers_; ++at) {
    if (unsure_ && unsure_->from == at) continue;
    if (!again && refused_.contains(at)) continue;
    send_to(at);
  }
}

}  // namespace cox
