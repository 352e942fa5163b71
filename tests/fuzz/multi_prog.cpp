// Fuzz target for the file of srun --multi-prog. Checks that each task of the step gets exactly one
// command, or that the file is refused.
#include "client/step/multi_prog.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(multi_prog) {
  const auto lines = parse_multi_prog(input);
  if (!lines) return fuzz::check_refusal(lines.refusal());
  constexpr std::int64_t tasks = 9;
  const auto commands = commands_of(*lines, tasks, "roles.conf");
  if (!commands) return fuzz::check_refusal(commands.refusal());
  std::vector<int> of_task(tasks, 0);
  for (const TaskCommand& command : *commands) {
    CHECK(!command.words.empty());
    for (const std::int32_t rank : command.ranks) ++of_task.at(static_cast<std::size_t>(rank));
  }
  CHECK(of_task == std::vector<int>(tasks, 1));
}

}  // namespace cox
