// Fuzz target for --dependency. Checks that the number of jobs is within its limit, and that the
// formatted dependencies are parsed back to the same ones.
#include "common/syntax/dependency.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(dependency) {
  const auto wish = parse_dependency(input);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  CHECK(!wish->terms.empty() && wish->terms.size() <= limits::dependencies_per_job_max);
  for (const Dependency& term : wish->terms) {
    CHECK((term.kind == DependencyKind::Singleton) == (term.on == JobId{}));
    CHECK(term.on.value >= 0 && term.task <= limits::array_task_id_max);
    CHECK(term.delay_s >= 0 && term.delay_s <= limits::time_limit_s_max && !term.never);
  }
  const auto again = parse_dependency(format_dependency(*wish));
  CHECK(again && again->terms == wish->terms);
  CHECK(again->any == wish->any || wish->terms.size() == 1);
}

}  // namespace cox
