// scontrol show config: the controller's settings by Slurm's names, between those of Slurm that
// Coxswain does not have. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/screen.h"
#include "common/messages.h"

namespace cox {

std::string config_record(const Configuration& config, const std::vector<std::string>& hosts,
                          const Screen& screen);

// "Slurmctld(primary) at head is UP", as Slurm has it.
std::string ping_line(const std::string& host, bool is_first, bool is_up);

}  // namespace cox
