// What Slurm's names say of --version: a version that tools written for Slurm accept.
#pragma once

#include <string>

namespace cox {

std::string slurm_version_text();

}  // namespace cox
