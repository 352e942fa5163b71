// Reads a coxswain.toml into a ConfigReport (client/setup/config_report.h), for `cox config check`
// and `cox doctor`.
#pragma once

#include <string>

#include "client/setup/config_report.h"

namespace cox {

// `given`: path of the file; empty: the first file that exists in the usual places. A file that
// cannot be read is reported as the only problem.
ConfigReport read_config_report(const std::string& given);

}  // namespace cox
