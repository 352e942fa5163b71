// Coordinators of accounts, as Slurm has them: a user who may add users and accounts to an account
// and to those below it, and delete them there. A coordinator sets no limits and no QOS. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/syntax/accounting_request.h"
#include "controller/change/change.h"
#include "controller/limits/accounts.h"

namespace cox {

// Returns the accounts with their coordinators as the request changes them, and adds the lines that
// sacctmgr prints to `lines`. REQUIRES: the request is about coordinators.
Result<std::vector<Association>> with_coordinators(const Accounts& accounts,
                                                   const AccountingRequest& request,
                                                   std::vector<std::string>& lines);

// Returns the accounts that the user coordinates, with the user removed from their coordinators.
std::vector<Association> without_coordinator(const Accounts& accounts, const std::string& user);

// Returns why this user, who is not an administrator, may not make the changes of the requests. The
// changes are checked, and not only the words, since a request may have indirect effects.
Failure check_coordinator(const Accounts& accounts, const std::string& user,
                          const std::vector<AccountingRequest>& requests,
                          const std::vector<Change>& changes);

}  // namespace cox
