// What people are told who name what is not there: a limit of Slurm's that this version does not
// have, a user who is elsewhere. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "controller/accounts.h"

namespace cox {

enum class SetOf : std::uint8_t { Association, Qos };

// Of a setting by Slurm's name, in lower case: that it is not in this version, and what comes
// nearest. Nothing of a name that is not Slurm's.
Failure later_setting(SetOf whose, std::string_view name);

// `names`, `accounts`, `partitions`: by which no user was found; empty: by any.
Refusal no_such_user(const Accounts& all, const std::vector<std::string>& names,
                     const std::vector<std::string>& accounts,
                     const std::vector<std::string>& partitions);

}  // namespace cox
