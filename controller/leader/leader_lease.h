// The lease that decides which controller leads: the row cox.leadership, by the database's clock.
// This class decides when its controller queries the lease and for how long, and what an answer
// means. Pure: controller/io/postgres/leadership.h queries PostgreSQL; the simulator has a row of
// its own.
//
// The leader renews the lease whenever a third of its duration has passed. A standby tries to take
// it every 250 ms, and gets it when it has ended.
#pragma once

#include <algorithm>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

class LeaderLease {
 public:
  explicit LeaderLease(Milliseconds lease) : lease_(lease) {}

  struct Question {
    Milliseconds lease{};
    Term term;  // term of this controller; none: it does not lead, or is still loading
    // This process has not led yet. If an earlier process of the same name has the lease, that
    // lease is not extended.
    bool has_never_led = false;
  };
  struct Answer {
    bool leads = false;
    std::string holder;
    std::string since;  // when the holder became leader, by the database's clock
  };

  bool is_due(Boot now) const { return now >= ask_at_; }
  Milliseconds due_in(Boot now) const { return std::max(Milliseconds{0}, ask_at_ - now); }
  Milliseconds pause() const;  // between two questions
  Question ask(Boot now);
  // Records the answer. Returns false if the answer comes too late to count.
  bool answered(const Answer& answer, Boot now);

  bool leads() const { return leads_; }
  // Returns whether this controller leads and no other can have taken the lease: the query of the
  // last answer was sent less than one lease ago.
  bool is_sure(Boot now) const { return leads_ && now - asked_of_answer_ < lease_; }
  // Returns when the holder became leader, by the database's clock. This identifies the leadership,
  // since the same controller may lead several times.
  const std::string& since() const { return since_; }
  // Returns the name of the holder in the last answer; empty: there was no answer yet.
  const std::string& holder() const { return holder_; }
  bool has_answer() const { return has_answer_; }
  // Makes a query of the lease due at once. Until its answer, leads() and has_answer() are false.
  void doubt(Boot now);
  // Sets the leader's term when it has loaded, and none while it loads. Without a term the lease is
  // longer, since loading may delay renewals.
  void set_term(Term term);
  Term term() const { return term_; }

 private:
  Milliseconds lease_;
  Term term_;
  Boot ask_at_{};
  Boot asked_{};    // when the last query was sent
  Boot doubted_{};  // answers to queries that were sent up to this time do not count
  bool leads_ = false;
  bool has_led_ = false;  // this controller has had a term since it last got the lease
  bool has_answer_ = false;
  std::string holder_;
  std::string since_;
  Boot asked_of_answer_{};  // when the query was sent that got the last answer
};

}  // namespace cox
