// What can be set of accounts, users and tiers, by the names that Slurm's sacctmgr has for it.
// Pure.
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

// Refused: a name that is not known, a value that cannot be. -1 takes a limit away.
Failure set_field(Association& association, const AccountingSetting& setting);
Failure set_field(Qos& qos, const AccountingSetting& setting);

// All values of the settings of these names, which are taken out.
std::vector<std::string> take_values(std::vector<AccountingSetting>& settings,
                                     std::initializer_list<std::string_view> names);
// Whether they say RawUsage=0, which is taken out: what was used is to be forgotten.
// "account=a,B" in lower case, each once.
std::vector<std::string> take_accounts(std::vector<AccountingSetting>& settings);
std::vector<std::string> lower_all(const std::vector<std::string>& names);

Association without_usage(Association one);

Result<bool> take_reset(std::vector<AccountingSetting>& settings);
// Of an account, a user or a tier that is new.
Failure check_accounting_name(std::string_view what, const std::string& name);

}  // namespace cox
