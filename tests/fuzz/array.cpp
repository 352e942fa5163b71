// Fuzz target for --array. Checks that the number of tasks is within its limit, and that the
// formatted tasks are parsed back to the same tasks.
#include "common/base/limits.h"
#include "common/syntax/array_tasks.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(array) {
  const auto wish = parse_array(input);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  const ArrayTasks& tasks = wish->tasks;
  CHECK(tasks.count() >= 1 && tasks.count() <= limits::array_tasks_max);
  CHECK(tasks.first() >= 0 && tasks.last() <= limits::array_task_id_max);
  CHECK(tasks.count() == static_cast<std::int64_t>(tasks.all().size()));
  CHECK(tasks_asked(input) == tasks.count());
  const std::string text = format_array(*wish);
  const auto again = parse_array(text);
  CHECK(again && *again == *wish && format_array(*again) == text);
  ArrayTasks others = tasks;
  others.remove(tasks.first());
  CHECK(others.count() == tasks.count() - 1 && !others.contains(tasks.first()));
  CHECK(tasks.without(others) == ArrayTasks({tasks.first()}));
  CHECK(tasks.common_with(others) == others);
}

}  // namespace cox
