// Reads a coxswain.toml into what client/setup/config_report.h tells of it: for `cox config check`
// and `cox doctor`.
#pragma once

#include <string>

#include "client/setup/config_report.h"

namespace cox {

// given: a path; empty: where it is looked for. A file that cannot be read is one problem.
ConfigReport read_config_report(const std::string& given);

}  // namespace cox
