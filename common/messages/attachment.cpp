#include "common/messages/attachment.h"

#include <limits>
#include <string>

#include "common/base/count_format.h"

namespace cox {

// Returns a command that srun never sends: its program's name is empty, and the number of the step
// follows.
TaskCommand attach_command(std::int32_t step) {
  return {{}, {"", std::to_string(step)}};
}

std::optional<std::int32_t> attached_step(const StepBegin& begin) {
  if (begin.commands.size() != 1) return std::nullopt;
  const auto& words = begin.commands.front().words;
  if (words.size() != 2 || !words[0].empty()) return std::nullopt;
  const auto number = parse_count(words[1], 0, std::numeric_limits<std::int32_t>::max());
  if (!number) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

}  // namespace cox
