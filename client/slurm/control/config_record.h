// scontrol show config: the controller's settings by Slurm's names, between those of Slurm that
// Coxswain does not have. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Returns names and values, sorted by name without regard to case. A value may be empty.
std::vector<std::pair<std::string, std::string>> config_values(
    const Configuration& config, const std::vector<std::string>& hosts);
std::string config_record(const Configuration& config, const std::vector<std::string>& hosts,
                          const Screen& screen);

// "Slurmctld(primary) at head is UP", as Slurm has it.
std::string ping_line(const std::string& host, bool is_first, bool is_up);

}  // namespace cox
