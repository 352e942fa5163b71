// Checks the output files of an attempt's ranks, in a child that has become the job's user. Makes
// files smaller that take too much disk space, and returns whether a disk is full.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "worker/supervisor/supervision.h"

namespace cox {

// Checks regular files only, each once even if it has several names. Never changes a file of
// another user, or one whose path ends in a symbolic link: a user who may write in its folder could
// have replaced it.
supervisor::OutputChecked look_at_output(const std::set<std::string>& paths,
                                         std::int64_t bytes_max);

// Encodes the result, which the child sends through a pipe.
std::string encode_output_check(const supervisor::OutputChecked& seen);
// Decodes the result that the child has sent. None: the child has died before.
std::optional<supervisor::OutputChecked> decode_output_check(const std::string& text);

}  // namespace cox
