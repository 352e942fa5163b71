// What becomes of a request for accounts, users and tiers: the changes that make it true, and the
// lines that tell it, as Slurm's sacctmgr does; or a refusal, and nothing of it is done. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/syntax/accounting_request.h"
#include "controller/change/change.h"
#include "controller/state/cluster.h"

namespace cox {

struct AccountingRuling {
  std::vector<Change> changes;
  std::vector<std::string> lines;
};

// The accounts and tiers as they would be after the requests judged so far.
struct AccountingBooks {
  explicit AccountingBooks(const Cluster& cluster)
      : accounts(cluster.accounts()), qos(cluster.qos()) {}
  Accounts accounts;
  std::map<std::string, Qos> qos;
};

// One request. After a refusal the books may have a part of it: drop them.
Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const AccountingRequest& request);
Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const std::vector<std::string>& words);

// A text with one request a line, each judged as if those before it were done. One refusal refuses
// all lines, and names the line. Empty lines are passed over. The answer is kept short enough to be
// stored.
Result<AccountingRuling> rule_on_accounting_lines(const Cluster& cluster, std::string_view text);

// The first lines of an answer as it is stored, and how many are left out.
std::vector<std::string> stored_answer(std::vector<std::string> lines);

Result<AccountingRuling> rule_on_associations(const Cluster& cluster, AccountingBooks& books,
                                              const AccountingRequest& request);
Result<AccountingRuling> rule_on_qos(const Cluster& cluster, AccountingBooks& books,
                                     const AccountingRequest& request);

}  // namespace cox
