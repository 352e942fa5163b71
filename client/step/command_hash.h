// Identifies the command of a step: only a step with the same one resumes from what a step saved.
// Pure.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Returns a hash of a program and its arguments. Options of torchrun and accelerate that name the
// meeting place of the processes are left out, because they differ when an attempt gets other
// nodes.
std::string command_hash(const std::vector<std::string>& words);

}  // namespace cox
