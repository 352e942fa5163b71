// Whether what is limited or kept is there at all. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/accounting_request.h"
#include "controller/cluster.h"

namespace cox {

// Of what these settings count, each as a sentence: things that the cluster has none of, as
// somebody has misspelt them; and more that is kept for a tier than there is. Nothing while no node
// is known.
std::vector<std::string> doubts_about_things(const Cluster& cluster,
                                             const std::vector<AccountingSetting>& set);

}  // namespace cox
