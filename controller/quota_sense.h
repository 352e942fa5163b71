// Whether quotas of accounts make sense together. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/cluster.h"

namespace cox {

// An account is guaranteed no more than it deserves, and deserves no more than it may have,
// whatever hours are open.
Failure check_quotas(const Association& account);

// What holds, but not as somebody may mean it: guarantees that add up to more than the account
// above them has, or than the cluster. Of what this account is guaranteed, each as a sentence.
// `accounts`: with it, as they become.
std::vector<std::string> doubts_about_quotas(const Cluster& cluster, const Accounts& accounts,
                                             const Association& account);

}  // namespace cox
