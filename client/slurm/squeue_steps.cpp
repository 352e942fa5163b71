// squeue --steps.
#include <array>

#include "client/moments.h"
#include "client/show.h"
#include "client/slurm/answers.h"
#include "client/slurm/squeue_format.h"
#include "common/job_ref.h"

namespace cox {
namespace {

constexpr const char* default_format = "%.15i %.8j %.9P %.8u %.9M %N";

std::string step_id(const StepView& view) {
  const StepKey& key = view.step.key;
  const bool of_array = view.array_job != JobId{};
  const std::string job = of_array ? format_job_ref(view.array_job, std::to_string(view.array_task))
                                   : std::to_string(key.attempt.job.value);
  return job + "." + std::to_string(key.number);
}

std::string nodes_text(const StepView& view) {
  std::vector<std::string> names;
  for (const StepNode& node : view.step.nodes) names.push_back(node.node);
  return node_list_text(names);
}

std::string limit_text(const StepView& view) {
  const std::int64_t limit_s = view.step.spec.time_limit_s;
  return limit_s == 0 ? "UNLIMITED" : slurm_clock_text(limit_s);
}

constexpr auto columns = std::to_array<SqueueColumn<StepView>>({
    {'i', "STEPID", step_id},
    {'j', "NAME", [](const StepView& v) { return v.step.spec.name; }},
    {'P', "PARTITION", [](const StepView& v) { return v.partition; }},
    {'u', "USER", [](const StepView& v) { return v.user_name; }},
    {'M', "TIME", [](const StepView& v) { return slurm_clock_text(v.ran_ms / 1000); }},
    {'l', "TIME_LIMIT", limit_text},
    {'N', "NODELIST", nodes_text},
    {'n', "TASKS", [](const StepView& v) { return std::to_string(v.step.tasks); }},
});

bool is_meant(const StepView& view, const Options& options) {
  if (view.step.state != JobState::Running) return false;
  if (options.job_steps.empty()) return true;
  for (std::size_t i = 0; i < options.ids.size(); ++i) {
    const bool job =
        options.ids[i] == view.step.key.attempt.job || options.ids[i] == view.array_job;
    const std::int32_t step = options.job_steps[i];
    if (job && (step < 0 || step == view.step.key.number)) return true;
  }
  return false;
}

}  // namespace

Shown show_squeue_steps(const StepList& list, const Options& options) {
  const std::string format = options.format.empty() ? default_format : options.format;
  const std::span<const SqueueColumn<StepView>> all(columns);
  const auto heads = squeue_head_line(format, all);
  if (!heads) return {"", heads.refusal().fact + "\n" + heads.refusal().hint + "\n", exit_refused};
  Shown shown;
  if (!options.no_header) shown.out = *heads + "\n";
  for (const StepView& view : list.steps)
    if (is_meant(view, options))
      shown.out +=
          walk_squeue(format, all, [&](const auto& each) { return each.text(view); }).first + "\n";
  return shown;
}

}  // namespace cox
