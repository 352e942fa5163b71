// Checks that the quotas of accounts make sense together. Used by this folder. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "controller/state/cluster.h"

namespace cox {

// Refuses an account whose guarantee exceeds its deserved share, or whose deserved share exceeds
// its GrpTRES. A quota may apply only during named hours of the week. So this is checked with no
// hours open, and once for each of the named hours with only these open.
Failure check_quotas(const Association& account);

// Returns a sentence for each quota that is valid but may not have the intended effect: guarantees
// that add up to more than the account above them, or than the cluster, has; and a deserved share
// larger than the GrpTRES of an account above. Checks the accounts in `named`. `tiers`, `accounts`:
// QOS and accounts after the request. Walks the tree once for each resource and hours.
std::vector<std::string> quota_warnings(const Cluster& cluster,
                                        const std::map<std::string, Qos>& tiers,
                                        const Accounts& accounts,
                                        const std::vector<std::string>& named);

// Returns a sentence if the cluster cannot hold both what KeptTRES of a QOS reserves (`kept`) and
// what accounts are guaranteed at all times; otherwise "".
std::string kept_warning(const Cluster& cluster, const Accounts& accounts, const TresCount& kept);

}  // namespace cox
