#include <array>

#include "client/moments.h"
#include "client/show.h"
#include "client/slurm/answers.h"
#include "client/slurm/names.h"
#include "client/slurm/squeue_format.h"
#include "client/table.h"
#include "common/job_ref.h"
#include "common/text.h"

namespace cox {
namespace {

constexpr const char* default_format = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";

// Who asks for none and runs in a reservation has what was left of that.
std::string limit_text(const JobView& view) {
  const bool given = view.job.spec->time_limit_s == 0 && view.left_ms >= 0;
  const std::int64_t limit_s =
      given ? (view.ran_ms + view.left_ms + 500) / 1000 : view.job.spec->time_limit_s;
  return limit_s == 0 ? "UNLIMITED" : slurm_clock_text(limit_s);
}

std::string left_text(const JobView& view) {
  return view.left_ms < 0 ? limit_text(view) : slurm_clock_text(view.left_ms / 1000);
}

std::string reason_text(const JobView& view) {
  const bool waits = view.job.state == JobState::Pending;
  return std::string(name(waits ? view.reason : WaitReason::None));
}

std::string nodes_text(const JobView& view) {
  return view.job.state == JobState::Pending ? "" : node_list_text(view.nodes);
}

std::string nodes_or_reason(const JobView& view) {
  return view.job.state == JobState::Pending ? "(" + reason_text(view) + ")" : nodes_text(view);
}

std::string nodes_count_text(const JobView& view) {
  return std::to_string(view.nodes.empty() ? view.job.spec->nodes : std::ssize(view.nodes));
}

std::string cpus_text(const JobView& view) {
  return std::to_string(view.job.spec->tasks * view.job.spec->cpus_per_task);
}

std::string array_text(const JobView& view) {
  return std::to_string(is_of_array(view.job) ? view.job.array_job.value : view.job.id.value);
}

std::string task_text(const JobView& view) {
  if (!is_of_array(view.job)) return "N/A";
  return stands_for_several(view.job) ? view.job.array_tasks : std::to_string(view.job.array_task);
}

constexpr auto columns = std::to_array<SqueueColumn<JobView>>({
    {'i', "JOBID", [](const JobView& v) { return shown_id(v.job); }},
    {'A', "JOBID", [](const JobView& v) { return std::to_string(v.job.id.value); }},
    {'j', "NAME", [](const JobView& v) { return v.job.spec->name; }},
    {'t', "ST", [](const JobView& v) { return std::string(short_name(v.job.state)); }},
    {'T', "STATE", [](const JobView& v) { return std::string(name(v.job.state)); }},
    {'u', "USER", [](const JobView& v) { return v.job.spec->user_name; }},
    {'a', "ACCOUNT", [](const JobView& v) { return v.job.spec->account; }},
    {'P', "PARTITION", [](const JobView& v) { return v.partition; }},
    {'q', "QOS", [](const JobView& v) { return v.job.spec->qos; }},
    {'M', "TIME", [](const JobView& v) { return slurm_clock_text(v.ran_ms / 1000); }},
    {'l', "TIME_LIMIT", limit_text},
    {'L', "TIME_LEFT", left_text},
    {'D', "NODES", nodes_count_text},
    {'R', "NODELIST(REASON)", nodes_or_reason},
    {'N', "NODELIST", nodes_text},
    {'C', "CPUS", cpus_text},
    {'r', "REASON", reason_text},
    {'F', "ARRAY_JOB_ID", array_text},
    {'K', "ARRAY_TASK_ID", task_text},
});

constexpr std::span<const SqueueColumn<JobView>> all_columns(columns);

}  // namespace

Result<std::string> squeue_heads(const std::string& format) {
  return squeue_head_line(format, all_columns);
}

std::string squeue_line(const std::string& format, const JobView& view) {
  return walk_squeue(format, all_columns, [&](const auto& each) { return each.text(view); }).first;
}

Question ask_squeue(const Options& options) {
  if (options.list_steps) return ListSteps{options.ids, options.tasks, options.user_name};
  return ListJobs{options.ids,       options.states, options.user_name,
                  options.partition, JobId{},        options.tasks};
}

// One unknown id is an error, unknown ones in a list are passed over: as Slurm does.
Shown show_squeue(const Answer& answer, const Options& options, const Screen&) {
  if (const auto* steps = std::get_if<StepList>(&answer)) return show_squeue_steps(*steps, options);
  const auto* list = std::get_if<JobList>(&answer);
  if (list == nullptr) return {"", "slurm_load_jobs error: Unexpected message\n", exit_refused};
  if (options.ids.size() == 1 && !list->unknown.empty())
    return {"", "slurm_load_jobs error: Invalid job id specified\n", exit_refused};
  const std::string format = options.format.empty() ? default_format : options.format;
  const auto heads = squeue_heads(format);
  if (!heads) return {"", heads.refusal().fact + "\n" + heads.refusal().hint + "\n", exit_refused};
  Shown shown;
  if (!options.no_header) shown.out = *heads + "\n";
  std::vector<JobView> jobs = list->jobs;
  sort_tasks(jobs);
  for (const auto& view : jobs) shown.out += squeue_line(format, view) + "\n";
  return shown;
}

}  // namespace cox
