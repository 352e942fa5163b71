// Fuzz target for jobs, array tasks and steps as users name them, such as 17_4.0. Checks that the
// formatted job is parsed back to the same job.
#include "common/job/job_ref.h"

#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(job_ref) {
  const auto step = parse_step_ref(input);
  if (!step) return fuzz::check_refusal(step.refusal());
  CHECK(step->step >= -1 && step->job.id.value >= 1);
  const auto again = parse_job_ref(format_job_ref(step->job.id, step->job.tasks));
  CHECK(again && *again == step->job);
}

}  // namespace cox
