// Fuzz target for batch scripts. Checks that the options of #SBATCH lines are within their limits
// and do not change when they are encoded and decoded, and that a refusal names the line.
#include "client/submit/script.h"

#include "common/base/limits.h"
#include "common/messages/codec.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_spec(const JobSpec& spec) {
  CHECK(spec.name.size() <= limits::name_bytes_max && is_utf8(spec.name));
  CHECK(spec.nodes <= limits::nodes_per_job_max && spec.tasks <= limits::tasks_per_job_max);
  CHECK(spec.time_limit_s >= 0 && spec.time_limit_s <= limits::time_limit_s_max);
  CHECK(spec.cpus_per_task <= limits::cpus_per_task_max);
  LaunchSpec launch;
  launch.spec = spec;
  const auto decoded = decode_launch(encode_launch(launch));
  CHECK(decoded && decoded->spec == spec);
}

}  // namespace

FUZZ_TARGET(script) {
  if (const Failure failure = check_script(input, "job.sh")) return fuzz::check_refusal(*failure);
  ComponentOptions all;
  if (const Failure failure = apply_script_options(input, "job.sh", all)) {
    fuzz::check_refusal(*failure);
    CHECK(failure->fact.starts_with("job.sh line "));
  }
  CHECK(std::ssize(all.asked) <= limits::job_components_max);
  for (SubmitOptions& asked : all.asked) {
    if (const Failure failure = resolve_options(asked)) fuzz::check_refusal(*failure);
    check_spec(asked.spec);
  }
}

}  // namespace cox
