// Sets fields of accounts, users and QOS, by the names that Slurm's sacctmgr has for them. Used by
// this folder. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/association.h"
#include "common/cluster/qos.h"
#include "common/syntax/accounting_request.h"

namespace cox {

// Sets a field. -1 removes a limit. Refused: an unknown name, or an invalid value.
Failure set_field(Association& association, const AccountingSetting& setting);
Failure set_field(Qos& qos, const AccountingSetting& setting);

// Removes the settings with these names from `settings`. Returns their values, each value once.
std::vector<std::string> take_values(std::vector<AccountingSetting>& settings,
                                     std::initializer_list<std::string_view> names);
// Removes the settings "account=a,B" from `settings`. Returns the accounts in lower case, each
// once.
std::vector<std::string> take_accounts(std::vector<AccountingSetting>& settings);
std::vector<std::string> lower_all(const std::vector<std::string>& names);  // each once

Association without_usage(Association one);

// Removes RawUsage=0, which resets the recorded usage. Returns whether it was there; refused if the
// value is not 0.
Result<bool> take_reset(std::vector<AccountingSetting>& settings);
// Checks the name of a new account, user or QOS. `what`: "an account".
Failure check_accounting_name(std::string_view what, const std::string& name);

}  // namespace cox
