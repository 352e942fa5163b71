// Whether quotas of accounts make sense together. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/state/cluster.h"

namespace cox {

// An account is guaranteed no more than it deserves, and deserves no more than it may have: while
// no hours are open, and while some are, those of one name at a time (others may never be open
// together with them).
Failure check_quotas(const Association& account);

// What holds, but not as somebody may mean it: guarantees that add up to more than the account
// above them has, or than the cluster; more that an account deserves than those above it may have.
// Of the accounts named, each as a sentence.
// `tiers`, `accounts`: as they become. It takes one walk over the tree for each thing and hours.
std::vector<std::string> doubts_about_quotas(const Cluster& cluster,
                                             const std::map<std::string, Qos>& tiers,
                                             const Accounts& accounts,
                                             const std::vector<std::string>& named);

// Of a tier that keeps so much, beside what accounts are guaranteed at all times; empty: none.
std::string doubt_about_kept(const Cluster& cluster, const Accounts& accounts,
                             const TresCount& kept);

}  // namespace cox
