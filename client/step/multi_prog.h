// srun --multi-prog: which task runs what, as the lines of a file say. Pure.
//
//   # a comment
//   0       ./master --port 4000
//   1-3,7   ./worker %t          its rank; %o counts within the line's ranks
//   8       echo '%t'            in single quotes it stays as it is
//   *       "./a program" x\ y   all others
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/messages/stream_messages.h"

namespace cox {

struct ProgramLine {
  std::vector<std::int32_t> ranks;  // empty: all others
  std::vector<std::string> words;   // with %t, %o, and %% for a percent sign
};

Result<std::vector<ProgramLine>> parse_multi_prog(std::string_view text);

// Returns what each task of a step runs. A refusal names the file and the first task that has no
// line.
Result<std::vector<TaskCommand>> commands_of(const std::vector<ProgramLine>& lines,
                                             std::int64_t tasks, const std::string& file);

}  // namespace cox
