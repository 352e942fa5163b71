// Divides a scarce resource, usually GPUs of a type, among accounts. Each account gets its
// guarantee first, then its deserved quota, then a part of the rest by its shares. It never gets
// more than its jobs ask for or than its limit; what it does not use is lent to the others. So the
// fair share of each account follows from what all accounts ask for now. The tree of accounts is
// divided level by level. Pure.
//
// The division is that of KAI (docs/fairness: the deserved quota, then the surplus by weight), with
// a guarantee before it. reclaim.h has the preemption for it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/model/limit.h"
#include "schedule/model/nodes.h"
#include "schedule/queue/limit_use.h"

namespace cox::schedule {

class Quotas {
 public:
  // REQUIRES: each tree is consecutive, parents before children; each limit occurs once.
  void set(std::vector<Quota> all);
  bool is_empty() const { return all_.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(all_.size()); }

  // Updates the total of each resource. To be called whenever nodes come, go or change.
  void set_nodes(const Nodes& nodes);
  // Returns the fair shares by position, for what is held and asked for now. `leaving`: by limit,
  // how much of the held amount belongs to stopping jobs.
  std::vector<std::int64_t> fair_shares(const LimitUse& use,
                                        const std::vector<std::int64_t>& leaving) const;

  // Returns the position of the account whose jobs count against this limit; -1: none.
  std::int32_t position_of_limit(std::int32_t limit) const;
  const Quota& at(std::int32_t position) const { return all_[static_cast<std::size_t>(position)]; }
  std::int32_t root_of(std::int32_t position) const;
  bool has_guarantees_below(std::int32_t position) const {
    return guarantees_below_[static_cast<std::size_t>(position)] > 0;
  }
  // Returns what the account's jobs hold, without what stopping jobs hold (`leaving`, by limit).
  std::int64_t held_of(std::int32_t position, const LimitUse& use,
                       const std::vector<std::int64_t>& leaving) const;
  // Returns whether an account has queued jobs and less than its guarantee.
  bool has_unmet_guarantee(const LimitUse& use, const std::vector<std::int64_t>& leaving) const;

 private:
  std::vector<Quota> all_;  // guarantee and deserved amount are at least the sums of those below
  std::unordered_map<std::int32_t, std::int32_t> position_of_limit_;
  // by position:
  std::vector<std::int64_t> guarantees_below_;
  std::vector<std::int64_t> deserved_below_;
  // for each root: what all available nodes have of its resource
  std::vector<std::int64_t> there_is_;
};

// Divides the resource among the accounts of one tree. `demands`: what each account and those below
// it hold and ask for. Returns the amount for each account.
std::vector<std::int64_t> divide(std::span<const Quota> all, std::span<const std::int64_t> demands,
                                 std::int64_t there_is);

// Returns whether the resource belongs to nodes, so that quotas of it are possible.
bool is_of_nodes(const TresCount& what);

// Return the amount of the resource on one node, on all available nodes, and on all nodes, in the
// unit of the limit. REQUIRES: is_of_nodes(what).
std::int64_t amount_of(const NodeResources& total, const TresCount& what);
std::int64_t available_of(const Nodes& nodes, const TresCount& what);
std::int64_t there_is_of(const Nodes& nodes, const TresCount& what);

}  // namespace cox::schedule
