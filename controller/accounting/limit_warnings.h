// Warns of limits on resources that the cluster does not have. Used by this folder and by
// controller/operate. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/syntax/accounting_request.h"
#include "controller/state/cluster.h"

namespace cox {

// Returns "the cluster has no gres/gpu:b200; it has gres/gpu, gres/gpu:h100". REQUIRES: the cluster
// has none of the resource.
std::string absence_text(const Cluster& cluster, const TresCount& tres);

// Returns a sentence for each setting that names a resource that the cluster does not have (often a
// misspelt name), or whose KeptTRES reserves more for a QOS than there is. Returns nothing while no
// node is known. `accounts`: the accounts after the request.
std::vector<std::string> tres_warnings(const Cluster& cluster, const Accounts& accounts,
                                       const std::vector<AccountingSetting>& set);

}  // namespace cox
