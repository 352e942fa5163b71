// What each account is to have of something there is not enough of: GPUs of a type, as a rule. Its
// guarantee first, then what it deserves, then a part of the rest by its shares, and never more
// than its jobs ask for or than it may have: what one leaves idle is lent to the others. So the
// fair share of each follows from what all of them ask for now. Level by level of the tree of
// accounts: what an account has is divided among those below it. Pure.
//
// The division is KAI's (docs/fairness: the deserved quota, then the surplus by weight), with a
// guarantee before it; reclaim.h has who gives way for it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "schedule/limit_use.h"
#include "schedule/nodes.h"
#include "schedule/plan.h"

namespace cox::schedule {

class Quotas {
 public:
  // REQUIRES: each parent before those below it, and of the same thing; each limit once.
  void set(std::vector<Quota> all);
  bool is_empty() const { return all_.empty(); }
  bool has_guarantees() const { return has_guarantees_; }
  const std::vector<Quota>& all() const { return all_; }

  // Works out all fair shares: of what the nodes that are available have, for what is held and
  // asked for. `leaving`: by limit, what is held by jobs that are stopping.
  void settle(const LimitUse& use, const Nodes& nodes, std::span<const std::int64_t> leaving);

  // Position of the one whose jobs count against this limit; -1: none.
  std::int32_t of_limit(std::int32_t limit) const;
  const Quota& at(std::int32_t position) const { return all_[static_cast<std::size_t>(position)]; }
  std::int64_t fair_share(std::int32_t position) const {
    return fair_[static_cast<std::size_t>(position)];
  }
  // From it up, without the root.
  std::vector<std::int32_t> path(std::int32_t position) const;

 private:
  std::vector<Quota> all_;
  std::vector<std::int64_t> fair_;  // of each
  std::map<std::int32_t, std::int32_t> of_limit_;
  bool has_guarantees_ = false;
};

// Of the first `all` is the root, which has all there is. `wanted`: what each and those below it
// hold and ask for. Of each, what it is to have.
std::vector<std::int64_t> divide(std::span<const Quota> all, std::span<const std::int64_t> wanted,
                                 std::int64_t there_is);

// Of nodes that are available, in the unit of the limit.
std::int64_t available_of(const Nodes& nodes, const TresCount& what);

}  // namespace cox::schedule
