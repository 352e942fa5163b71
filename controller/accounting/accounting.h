// Decides requests of sacctmgr about accounts, users and QOS: either returns the changes to make
// and the lines that sacctmgr prints, or refuses the whole request. Used by administer.cpp. Pure.
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

// The accounts and QOS as they would be after the requests decided so far. These requests are not
// committed yet.
struct AccountingBooks {
  explicit AccountingBooks(const Cluster& cluster)
      : accounts(cluster.accounting().accounts()), qos(cluster.accounting().qos()) {}
  Accounts accounts;
  std::map<std::string, Qos> qos;
};

// Decides one request and applies it to the books. If the request is refused, the books may have a
// part of its changes, and the caller must drop them.
Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const AccountingRequest& request);
Result<AccountingRuling> rule_on_accounting(const Cluster& cluster, AccountingBooks& books,
                                            const std::vector<std::string>& words);

// Decides a text with one request on each line, each as if the ones before it were done. If one
// line is refused, all are, and the refusal names the line. Empty lines are ignored. The answer is
// cut to a length that can be stored.
Result<AccountingRuling> rule_on_accounting_lines(const Cluster& cluster, std::string_view text);

// Returns the first lines of an answer, as many as are stored, and a line with the number left out.
std::vector<std::string> stored_answer(std::vector<std::string> lines);

// The two parts of rule_on_accounting(). This one decides requests about accounts, users and
// coordinators; rule_on_qos() decides those about QOS.
Result<AccountingRuling> rule_on_associations(const Cluster& cluster, AccountingBooks& books,
                                              const AccountingRequest& request);
Result<AccountingRuling> rule_on_qos(const Cluster& cluster, AccountingBooks& books,
                                     const AccountingRequest& request);

}  // namespace cox
