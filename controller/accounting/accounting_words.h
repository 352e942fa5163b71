// Refusals for requests that name a missing user or account. Used by this folder. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/limits/accounts.h"

namespace cox {

Refusal no_such_account(const Accounts& all, const std::string& name);

// `names`, `accounts`, `partitions`: the search that has found no user; an empty list means any.
Refusal no_such_user(const Accounts& all, const std::vector<std::string>& names,
                     const std::vector<std::string>& accounts,
                     const std::vector<std::string>& partitions);

}  // namespace cox
