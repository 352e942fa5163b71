// Looks up the groups of this machine, in /etc/group or a directory service.
#pragma once

#include <optional>
#include <string>

#include "common/cluster/config.h"

namespace cox {

std::optional<AllowedGroup> find_host_group(const std::string& name);

}  // namespace cox
