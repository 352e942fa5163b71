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

// Returns the accounts as the request changes their coordinators; says so in `lines`.
// REQUIRES: it is of coordinators.
Result<std::vector<Association>> with_coordinators(const Accounts& accounts,
                                                   const AccountingRequest& request,
                                                   std::vector<std::string>& lines);

// Returns the accounts that the user coordinates, without that user.
std::vector<Association> without_coordinator(const Accounts& accounts, const std::string& user);

// Returns why a user who is no administrator may not make the changes that the requests come to. It
// is judged by what changes, not by the words.
Failure check_coordinator(const Accounts& accounts, const std::string& user,
                          const std::vector<AccountingRequest>& requests,
                          const std::vector<Change>& changes);

}  // namespace cox
