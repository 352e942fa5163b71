// scontrol show config: the controller's settings by Slurm's names, and those settings of Slurm
// that Coxswain does not have. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Returns the settings as pairs of name and value, sorted by name without regard to case. A value
// may be empty. `hosts`: hosts of the controllers.
std::vector<std::pair<std::string, std::string>> config_values(
    const Configuration& config, const std::vector<std::string>& hosts);
std::string config_record(const Configuration& config, const std::vector<std::string>& hosts,
                          const Screen& screen);

// Returns Slurm's line about a controller: "Slurmctld(primary) at head is UP".
std::string ping_line(const std::string& host, bool is_first, bool is_up);

}  // namespace cox
