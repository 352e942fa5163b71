// Identifies the command of a step: only a step with the same one resumes from what a step saved.
// Pure.
#pragma once

#include <string>
#include <vector>

namespace cox {

// Returns a hash of a program and its arguments, without what differs between the attempts of one
// job: options of torchrun and accelerate that name the meeting place of the processes, and
// arguments that are empty or contain one of `folders`, those of the attempt's checkpoints, each
// with the option before it.
std::string command_hash(const std::vector<std::string>& words,
                         const std::vector<std::string>& folders = {});

}  // namespace cox
