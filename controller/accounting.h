// What becomes of a request for accounts, users and tiers: the changes that make it true, and the
// lines that tell it, as Slurm's sacctmgr does; or a refusal, and nothing of it is done. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/accounting_request.h"
#include "controller/change.h"
#include "controller/cluster.h"

namespace cox {

struct AccountingRuling {
  std::vector<Change> changes;
  std::vector<std::string> lines;
};

// All of the requests, or none. A request of a QOS stands alone.
Result<AccountingRuling> rule_on_accounting(const Cluster& cluster,
                                            const std::vector<AccountingRequest>& requests);
// Of tiers alone.
Result<AccountingRuling> rule_on_qos(const Cluster& cluster, const AccountingRequest& request);

}  // namespace cox
