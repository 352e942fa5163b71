// scontrol show config: the controller's settings by Slurm's names, between those of Slurm that
// Coxswain does not have. Pure.
#pragma once

#include <string>

#include "client/screen.h"
#include "common/messages.h"

namespace cox {

std::string config_record(const Configuration& config, const std::string& host,
                          const Screen& screen);

}  // namespace cox
