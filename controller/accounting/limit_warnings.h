// Whether what is limited or kept is there at all. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/syntax/accounting_request.h"
#include "controller/state/cluster.h"

namespace cox {

// "the cluster has no gres/gpu:b200; it has gres/gpu, gres/gpu:h100": of a thing that it has none
// of.
std::string none_of_it(const Cluster& cluster, const TresCount& thing);

// Of what these settings count, each as a sentence: things that the cluster has none of, as
// somebody has misspelt them; and more that is kept for a tier than there is. Nothing while no node
// is known.
// `accounts`: as they become.
std::vector<std::string> doubts_about_things(const Cluster& cluster, const Accounts& accounts,
                                             const std::vector<AccountingSetting>& set);

}  // namespace cox
