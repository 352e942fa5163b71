// The value of --tres-per-task, which several other options express too. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// What each task asks for, in the form of the options for single resources. Empty: not given.
struct TaskTres {
  std::string cpus;  // of --cpus-per-task: "2"
  std::string gpus;  // of --gpus-per-task: "h100:1"
};

// Parses a list such as "cpu=2,gres/gpu:h100=1". As in older versions of Slurm, a colon may stand
// before the number.
Result<TaskTres> parse_task_tres(std::string_view text);

}  // namespace cox
