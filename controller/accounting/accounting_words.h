// Refusals for requests that name a missing user or account, or that change nothing. Used by this
// folder. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/syntax/accounting_request.h"
#include "controller/limits/accounts.h"

namespace cox {

// Returns the refusal of a request that changes nothing, in Slurm's words: "Nothing modified: there
// is no account "phys"". sacctmgr prints the first part on standard output.
Refusal nothing_done(const AccountingRequest& request, const Refusal& why);

Refusal no_such_account(const Accounts& all, const std::string& name);

// `names`, `accounts`, `partitions`: the search that has found no user; an empty list means any.
Refusal no_such_user(const Accounts& all, const std::vector<std::string>& names,
                     const std::vector<std::string>& accounts,
                     const std::vector<std::string>& partitions);

}  // namespace cox
