// Parses the file of srun --multi-prog, which says which task runs which program. Pure. An example:
//
//   # a comment
//   0       ./master --port 4000
//   1-3,7   ./worker %t          %t is the task's rank, %o its place among 1-3,7: 0 to 3
//   8       echo '%t'            %t in single quotes is not replaced
//   *       "./a program" x\ y   all other tasks
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/stream_messages.h"

namespace cox {

struct ProgramLine {
  std::vector<std::int32_t> ranks;  // empty: "*", all tasks that no other line names
  std::vector<std::string> words;   // program and arguments; %t, %o and %% are not yet replaced
};

Result<std::vector<ProgramLine>> parse_multi_prog(std::string_view text);

// Returns the command of each of the step's `tasks` tasks. If several lines name a task, the first
// counts. A refusal names the file and the first task without a line.
Result<std::vector<TaskCommand>> commands_of(const std::vector<ProgramLine>& lines,
                                             std::int64_t tasks, const std::string& file);

}  // namespace cox
