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
#include <map>
#include <span>
#include <vector>

#include "schedule/model/limit.h"
#include "schedule/model/nodes.h"
#include "schedule/queue/limit_use.h"

namespace cox::schedule {

class Quotas {
 public:
  // REQUIRES: each tree stands together, parents before those below them; each limit once.
  void set(std::vector<Quota> all);
  bool is_empty() const { return all_.empty(); }

  // What there is of each thing. To be told anew whenever nodes come, go or change.
  void know_nodes(const Nodes& nodes);
  // All fair shares by position, for what is held and asked for now. `leaving`: by limit, how much
  // of what is held is of jobs that are stopping.
  std::vector<std::int64_t> fair_shares(const LimitUse& use,
                                        const std::vector<std::int64_t>& leaving) const;

  // Position of the one whose jobs count against this limit; -1: none.
  std::int32_t of_limit(std::int32_t limit) const;
  const Quota& at(std::int32_t position) const { return all_[static_cast<std::size_t>(position)]; }
  std::int32_t root_of(std::int32_t position) const;
  bool has_guarantees_below(std::int32_t position) const {
    return guarantees_below_[static_cast<std::size_t>(position)] > 0;
  }
  // But for what is leaving.
  std::int64_t held_of(std::int32_t position, const LimitUse& use,
                       const std::vector<std::int64_t>& leaving) const;
  // Whose jobs wait though it has less than its guarantee.
  bool somebody_lacks(const LimitUse& use, const std::vector<std::int64_t>& leaving) const;

 private:
  std::vector<Quota> all_;  // with what those below them are owed
  std::map<std::int32_t, std::int32_t> of_limit_;
  // Of each:
  std::vector<std::int64_t> guarantees_below_;
  std::vector<std::int64_t> deserved_below_;
  std::vector<std::int64_t> there_is_;  // of roots
};

// Of one tree, whose root has all there is. `wanted`: what each and those below it hold and ask
// for. Of each, what it is to have.
std::vector<std::int64_t> divide(std::span<const Quota> all, std::span<const std::int64_t> wanted,
                                 std::int64_t there_is);

// Whether nodes have it, so that there can be quotas of it.
bool is_of_nodes(const TresCount& what);

// Of one node, of those that are available, and of all, in the unit of the limit. REQUIRES: it is
// something of nodes.
std::int64_t amount_of(const NodeResources& total, const TresCount& what);
std::int64_t available_of(const Nodes& nodes, const TresCount& what);
std::int64_t there_is_of(const Nodes& nodes, const TresCount& what);

}  // namespace cox::schedule
