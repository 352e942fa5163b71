// Which controller of several leads, as one of them sees it: when to ask for the lease (a row by
// the database's clock, cox.leadership), for how long, and what an answer means. Pure:
// controller/io/postgres/leadership.h asks PostgreSQL, the simulator a row of its own.
//
// Whoever holds the lease asks on each third of it; the others ask again and again, and take it
// when it has ended.
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
    Term term;  // that is led; none: it does not lead, or loads
    // It has not led since it started: what the same holder had before gets no more time.
    bool has_never_led = false;
  };
  struct Answer {
    bool leads = false;
    std::string holder;
    std::string since;  // when that took the lead, by the database's clock
  };

  bool is_due(Boot now) const { return now >= ask_at_; }
  Milliseconds due_in(Boot now) const { return std::max(Milliseconds{0}, ask_at_ - now); }
  Milliseconds pause() const;  // between two questions
  Question ask(Boot now);
  // False: it comes too late to say anything.
  bool answered(const Answer& answer, Boot now);

  bool leads() const { return leads_; }
  // ... and nobody else can have taken it: the last answer is younger than the lease.
  bool is_sure(Boot now) const { return leads_ && now - asked_of_answer_ < lease_; }
  // When it took the lead, by the database's clock: a leadership of its own, though the holder is
  // the same.
  const std::string& since() const { return since_; }
  // As the last answer has it; empty: there was none yet.
  const std::string& holder() const { return holder_; }
  bool knows() const { return knows_; }
  // Is to ask at once, and knows nothing until the answer.
  void doubt(Boot now);
  // Who leads tells its term once it has loaded, and none while it loads (again): its lease is
  // longer then, as loading may hold up everything.
  void set_term(Term term);
  Term term() const { return term_; }

 private:
  Milliseconds lease_;
  Term term_;
  Boot ask_at_{};
  Boot asked_{};    // when the last question went out
  Boot doubted_{};  // what was asked before counts no more
  bool leads_ = false;
  bool has_led_ = false;  // it has told a term in this leadership
  bool knows_ = false;
  std::string holder_;
  std::string since_;
  Boot asked_of_answer_{};  // when what was answered last was asked
};

}  // namespace cox
