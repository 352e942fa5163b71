// Decides which of several controllers gets a message, until the leader has answered. Pure:
// common/io/leader_connection.h adds sockets and a timer; the simulator uses virtual time.
//
// A numbered message goes to the controller that answered last. If that one replies that it does
// not lead, the others get the message at once. If nobody answers, they get it after a pause.
// Each controller gets it once. One that does not lead gets it again after later pauses, since it
// may lead by then. If the caller sends the same message again, the silent controllers that have
// it get it again: they may have restarted since. A different message replaces one that has no
// answer yet. A message that must not be carried out twice goes to no other controller while one
// of them may carry it out. The controller that answers is the leader from then on; a late answer
// of a former leader may still arrive.
//
// Messages without a number (a worker's reports, which it repeats) go to the leader alone,
// because only a leader answers them. They do not replace a numbered message that waits for its
// answer. Otherwise a report after each heartbeat would keep a worker with a dead leader forever.
// A controller that sends a message without a number does not become the leader by that: it may
// be the last message of a former one.
//
// A leader that cannot reach the database marks its answers as unsure, because another controller
// may lead. Such an answer counts only if all others have replied to the same message that they
// do not lead. Otherwise a node could trust a controller that no longer leads, while the new
// leader starts the node's jobs elsewhere. A Reply that explains why a command must wait counts
// after some time even if another controller is silent, because its host may be down. It does not
// count soon: a controller that is about to lead needs time, and may carry out the request. The
// same rules apply to a reply from memory while PostgreSQL is unavailable (Reply::as_of).
//
// A refusal is that of one controller. If another controller has a copy of a request that changes
// something and has not answered it, the refusal says so (outcome_unknown_text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/time.h"
#include "common/messages/messages.h"

namespace cox {

// How a refusal ends if the request may be carried out nevertheless, by another controller.
inline constexpr std::string_view outcome_unknown_text =
    "; another controller has the request and has not answered, so whether it was or will be done "
    "is unknown";
bool has_unknown_outcome(const Refused& refused);

class LeaderFollower {
 public:
  // How long a controller may take to answer before others get the message: the first and the
  // longest pause. Each pause is twice as long as the one before.
  static constexpr Milliseconds first_pause{250};
  static constexpr Milliseconds longest_pause{2'000};

  // `seed` is the random seed of the pauses (Backoff).
  LeaderFollower(std::size_t controllers, std::uint64_t seed)
      : controllers_(controllers), pauses_(first_pause, longest_pause, seed) {}

  // Takes messages to send. If they have no number, it returns the controller that gets them.
  // Otherwise it returns nothing, and take_recipients() returns the controllers.
  std::optional<std::size_t> submit(const std::vector<Message>& messages);
  // Takes a message from the controller `from`. Appends it to `accepted` if the caller is to get it
  // now.
  void take(std::size_t from, Message message, std::vector<Message>& accepted);
  // Called after take() for all messages that have arrived. Accepts an unsure answer or sends to
  // further controllers, if it is time for that. `is_due`: the time pause() is over.
  void settle(bool is_due, std::vector<Message>& accepted);

  // Returns the controllers to which the caller must send pending() now, each once.
  std::vector<std::size_t> take_recipients();
  const std::vector<Message>& pending() const { return pending_; }
  // Returns the controller that answered last; before the first answer, controller 0.
  std::size_t leader() const { return leader_; }
  // Returns after which time the caller must call settle(); 0: no call is needed.
  Milliseconds pause() const { return pause_; }

 private:
  struct Unsure {
    std::size_t from = 0;
    Message message;
    bool others_had_time = false;  // all others have had the messages for at least one pause
  };

  bool counts_after_pause() const;
  bool is_outcome_known(std::size_t refused_by) const;
  void note_unknown_outcome(Message& message, std::size_t from) const;
  void accept_unsure(Unsure& unsure, std::vector<Message>& accepted);
  void resend();
  void send_to_others(bool again);
  void send_to(std::size_t one);
  void begin_pause();

  std::size_t controllers_;
  std::size_t leader_ = 0;
  std::vector<Message> pending_;   // the newest numbered messages, until they are answered
  std::int64_t number_ = 0;        // of pending_
  std::set<std::size_t> sent_to_;  // controllers to which pending_ was sent
  std::set<std::size_t>
      refused_;  // controllers that have replied to pending_ that they do not lead
  // For each controller: copies of pending_ that it has not answered.
  std::map<std::size_t, int> unanswered_;
  std::optional<Unsure> unsure_;
  bool only_leader_has_it_ = false;  // pending_ was sent only to the leader so far
  Backoff pauses_;
  Milliseconds pause_{0};
  std::vector<std::size_t> recipients_;
};

}  // namespace cox
