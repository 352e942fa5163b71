// Settings of Slurm's accounts and QOS that Coxswain does not support, each with the nearest
// alternative. The controller refuses them (controller/accounting/accounting_fields.cpp), and `cox
// import` leaves them out (client/setup/slurm_import_accounts.cpp). Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace cox {

enum class AccountingObject : std::uint8_t { Association, Qos };

// Returns the refusal of an unsupported setting, with the nearest alternative. `name` is Slurm's
// name in lower case. Returns nothing if the setting is supported, or if Slurm has no such setting.
Failure later_setting(AccountingObject whose, std::string_view name);

}  // namespace cox
