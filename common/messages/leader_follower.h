// Whom to ask of several controllers, until the one that leads has answered. Pure:
// common/io/leader_connection.h asks over sockets and runs the timer, the simulator in virtual
// time.
//
// What is said goes to who answered last. As long as nobody answers, the others are asked the
// same: at once when they are told that who was asked does not lead, else after a while. Each is
// asked once, unless it has said that it does not lead: it may do so later. Who says the same once
// more says it to all that have it and are silent: they may have been replaced since. Who says
// something else before there is an answer waits no longer for that. What must not be done twice
// goes to nobody else as long as one of them may have done it. Whoever answers is the leader from
// then on; an answer of a former one may still come.
//
// What bears no number (a worker's reports, which it repeats) goes to the leader alone: who does
// not lead has no answer to it. Nor does it take the place of what waits for one, or a report
// behind each heartbeat would keep a worker with a dead leader for ever. Who says what bears none
// does not lead for that: it may be the last word of a former leader.
//
// A leader that cannot reach the database says so with what it answers: another one may lead. Such
// an answer counts only when all others have said, of the same message, that they do not: a node
// must not live by the word of a leader that is none, while another gives its jobs away. A Reply,
// which says why a command must wait, counts at last though one of the others is silent: its host
// may be down. Not soon, for who is about to lead takes its time, and does what it was asked.
//
// So does an answer from memory while PostgreSQL is away (Reply::as_of).
//
// A refusal is that of one controller. If another controller has a copy of a request that changes
// something and has not answered it, the refusal says so (unsettled_words).
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

// The end of a refusal's fact if the request may be carried out nevertheless.
inline constexpr std::string_view unsettled_words =
    "; another controller has the request and has not answered, so whether it was or will be done "
    "is unknown";
bool is_unsettled(const Refused& refused);

class LeaderFollower {
 public:
  // So long without an answer, and then again and again, ever more rarely.
  static constexpr Milliseconds look_around_first{250};
  static constexpr Milliseconds look_around_last{2'000};

  // seed: of its pauses, which are those of a Backoff.
  LeaderFollower(std::size_t controllers, std::uint64_t seed)
      : controllers_(controllers), look_around_(look_around_first, look_around_last, seed) {}

  // Who alone is to be sent them, for they bear no number; none: see take_asked().
  std::optional<std::size_t> say(const std::vector<Message>& messages);
  // What a controller has answered; what counts of it is added to `heard`.
  void take(std::size_t from, Message message, std::vector<Message>& heard);
  // All that has arrived was taken. is_due: pause() has passed, and another one begins.
  void settle(bool is_due, std::vector<Message>& heard);

  // Who is to be sent said() now, each named once.
  std::vector<std::size_t> take_asked();
  const std::vector<Message>& said() const { return said_; }
  // Who answered last; the first one, as long as nobody has.
  std::size_t leader() const { return leader_; }
  // Of the timer; 0: it stands.
  Milliseconds pause() const { return pause_; }

 private:
  struct Unsure {
    std::size_t from = 0;
    Message message;
    bool all_asked = false;  // for a pause at least
  };

  bool counts_at_last() const;
  bool is_settled(std::size_t refused_by) const;
  void note_if_unsettled(Message& message, std::size_t from) const;
  void believe(Unsure& unsure, std::vector<Message>& heard);
  void say_again();
  void ask_around(bool again);
  void ask(std::size_t one);
  void begin_pause();

  std::size_t controllers_;
  std::size_t leader_ = 0;
  std::vector<Message> said_;              // and not answered
  std::int64_t number_ = 0;                // of it
  std::set<std::size_t> asked_;            // have it
  std::set<std::size_t> refused_;          // have said, of it, that they do not lead
  std::map<std::size_t, int> unanswered_;  // copies of it, by controller, that it has not answered
  std::optional<Unsure> unsure_;
  bool is_first_ = false;  // only the leader was asked
  Backoff look_around_;
  Milliseconds pause_{0};
  std::vector<std::size_t> to_ask_;
};

}  // namespace cox
