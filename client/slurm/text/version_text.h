// What Slurm's commands print for --version: a version of Slurm, which tools written for Slurm
// accept. Some split it into exactly two words; `cox --version` has ours.
#pragma once

#include <string>

namespace cox {

std::string slurm_version_text();

}  // namespace cox
