// Fuzz target for the output of a task prolog. Checks that the environment that the task gets is
// valid for exec, whatever the prolog prints.
#include <set>

#include "tests/fuzz/target.h"
#include "worker/supervisor/task_prolog_lines.h"

namespace cox {

FUZZ_TARGET(task_prolog) {
  std::vector<std::string> environment = {"PATH=/bin", "A=1", "HOME="};
  const std::string printed = apply_prolog_lines(input, environment);
  CHECK(printed.size() <= input.size() + 1);
  CHECK(printed.empty() || printed.back() == '\n');
  std::set<std::string> names;
  for (const std::string& one : environment) {
    const std::size_t equals = one.find('=');
    CHECK(equals != std::string::npos && equals > 0);
    CHECK(one.find('\0') == std::string::npos && one.find('\n') == std::string::npos);
    CHECK(names.insert(one.substr(0, equals)).second);
  }
}

}  // namespace cox
