#include "client/options/submit_options.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/resources/gpu_wish.h"

namespace cox {
namespace {

// Handles --overcommit: as in Slurm, requests on each node only the CPUs of one task. Stores the
// number of tasks as text; the script gets it as SLURM_NTASKS (common/job/job_variables.cpp).
void resolve_overcommit(SubmitOptions& asked) {
  JobSpec& spec = asked.spec;
  const std::string tasks = spec.tasks_asked ? "=" + std::to_string(spec.tasks) : "";
  spec.stored_options.push_back(std::string(overcommit_stored) + tasks);
  spec.tasks = spec.tasks_per_node = 0;
  spec.tasks_asked = false;
}

}  // namespace

void copy_common_options(const SubmitOptions& from, SubmitOptions& to) {
  if (!from.wrap.empty()) to.wrap = from.wrap;
  if (!from.request_id.empty()) to.request_id = from.request_id;
  to.parsable = to.parsable || from.parsable;
  to.quiet = to.quiet || from.quiet;
  to.json = to.json || from.json;
  to.wait = to.wait || from.wait;
  to.test = to.test || from.test;
  to.help = to.help || from.help;
  to.version = to.version || from.version;
  to.verbose = std::max(to.verbose, from.verbose);
}

Failure resolve_options(SubmitOptions& asked) {
  if (asked.quiet && asked.verbose > 0)
    return Refusal{"don't specify both --verbose (-v) and --quiet (-Q)", "choose one of them"};
  std::string& type = asked.spec.gpu_type;
  if (!type.empty() && !asked.gpus_type.empty())
    return Refusal{"--gpu-type is " + quoted(type) + ", but the requested GPUs are of type " +
                       quoted(asked.gpus_type),
                   "name the types in only one of them: --gpu-type=" + type +
                       " goes with a number alone, like --gres=gpu:" +
                       format_gpus({{}, asked.spec.gpus_per_node, asked.spec.gpu_milli})};
  if (type.empty()) type = asked.gpus_type;
  if (asked.overcommit) resolve_overcommit(asked);
  return std::nullopt;
}

}  // namespace cox
