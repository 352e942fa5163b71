#include "controller/leader/leader_lease.h"

namespace cox {

namespace {

constexpr int renewals_in_a_lease = 3;
constexpr Milliseconds standby_pause{250};
// the lease while the leader loads, which may delay renewals
constexpr Milliseconds loading_lease{60'000};

}  // namespace

Milliseconds LeaderLease::pause() const {
  return leads_ ? lease_ / renewals_in_a_lease : std::min(standby_pause, lease_);
}

LeaderLease::Question LeaderLease::ask(Boot now) {
  const bool loads = term_ == Term{};
  asked_ = now;
  ask_at_ = now + pause();
  return {loads ? std::max(lease_, loading_lease) : lease_, term_, loads && !has_led_};
}

bool LeaderLease::answered(const Answer& answer, Boot now) {
  // An answer to a query that was sent longer ago than the lease does not count, since this process
  // may have been paused. Neither does an answer to a query from before doubt().
  if (now - asked_ >= lease_ || asked_ <= doubted_) {
    ask_at_ = now;
    return false;
  }
  since_ = answer.since;
  asked_of_answer_ = asked_;
  leads_ = answer.leads;
  has_led_ = has_led_ && leads_;
  holder_ = answer.holder;
  has_answer_ = true;
  ask_at_ = now + pause();
  return true;
}

void LeaderLease::set_term(Term term) {
  if (term_ == term) return;
  term_ = term;
  has_led_ = has_led_ || term != Term{};
  ask_at_ = Boot{};
}

void LeaderLease::doubt(Boot now) {
  leads_ = has_answer_ = false;
  doubted_ = ask_at_ = now;
}

}  // namespace cox
