// The groups that the system knows.
#pragma once

#include <optional>
#include <string>

#include "common/cluster/config.h"

namespace cox {

std::optional<AllowedGroup> find_host_group(const std::string& name);

}  // namespace cox
