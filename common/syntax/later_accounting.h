// Settings of Slurm's accounts and tiers that this version does not have, each with what comes
// nearest: for who refuses them (controller/accounting/accounting_fields.cpp) and for who leaves
// them out of what is imported (client/setup/slurm_import_accounts.cpp). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace cox {

enum class SetOf : std::uint8_t { Association, Qos };

// Of a setting by Slurm's name, in lower case: that it is not in this version, and what comes
// nearest. Nothing of a name that is not Slurm's.
Failure later_setting(SetOf whose, std::string_view name);

}  // namespace cox
