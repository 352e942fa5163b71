// Facts about a job in Slurm's terms, for columns and JSON (job_fields.h).
#include <algorithm>

#include "client/slurm/list/job_fields.h"
#include "common/job/output_path.h"

namespace cox {
namespace {

// Returns the reason that Slurm shows for an ended job, such as "TimeLimit": how the job ended.
std::string_view end_reason(JobState state) {
  switch (state) {
    case JobState::Failed: return "NonZeroExitCode";
    case JobState::Timeout: return "TimeLimit";
    case JobState::OutOfMemory: return "OutOfMemory";
    case JobState::Deadline: return "DeadLine";
    case JobState::NodeFail: return "NodeDown";
    default: return "None";
  }
}

std::string dependency_text(const Dependency& term) {
  std::string text(name(term.kind));
  if (term.on != JobId{}) text += ":" + std::to_string(term.on.value);
  if (term.task >= 0) text += "_" + std::to_string(term.task);
  if (term.delay_s > 0) text += "+" + std::to_string(term.delay_s / 60);
  return text + (term.never ? "(failed)" : "(unfulfilled)");
}

}  // namespace

std::string gpus_of_type(const std::string& type, std::int64_t count) {
  const bool one_type = !type.empty() && type.find_first_of("|:") == std::string::npos;
  return (one_type ? "gpu:" + type + ":" : "gpu:") + std::to_string(count);
}

// If a running job has no time limit of its own, returns the time that its advance reservation
// leaves it: the time that it has run and the rest until the reservation ends.
std::int64_t time_limit_s(const JobView& view) {
  const std::int64_t asked = view.job.spec->time_limit_s;
  if (asked != 0 || view.left_ms < 0) return asked;
  return (view.ran_ms + view.left_ms + 500) / 1000;
}

std::string wait_or_end_reason(const JobView& view) {
  const bool waits = view.job.state == JobState::Pending;
  return std::string(waits ? name(view.reason) : end_reason(view.job.state));
}

bool shows_reason(const JobView& view) {
  switch (view.job.state) {
    case JobState::Pending:
    case JobState::Failed:
    case JobState::Timeout:
    case JobState::OutOfMemory:
    case JobState::Deadline: return true;
    default: return false;
  }
}

std::string job_array_tasks(const Job& job, std::size_t bytes_max) {
  std::string tasks = format_array_tasks(job.array_tasks);
  if (bytes_max > 0 && tasks.size() > bytes_max) {
    const std::size_t comma = tasks.rfind(',', bytes_max);
    tasks = tasks.substr(0, comma == std::string::npos ? bytes_max : comma) + ",...";
  }
  return job.array_limit > 0 ? tasks + "%" + std::to_string(job.array_limit) : tasks;
}

std::string job_dependencies(const JobView& view) {
  std::string text;
  const bool any = view.job.spec->terms->dependency.any;
  for (const Dependency& term : view.job.dependencies)
    text += (text.empty() ? "" : any ? "?" : ",") + dependency_text(term);
  return text;
}

std::string job_command(const JobSpec& spec) {
  if (!spec.command_path.empty()) return spec.command_path;
  return spec.form == JobForm::Gang ? joined(spec.command, " ") : "";
}

std::string job_output(const JobView& view, bool of_errors) {
  const Job& job = view.job;
  OutputPlace place;
  place.key = {job.id, job.attempt};
  if (!view.nodes.empty()) place.node = view.nodes.front();
  place.array_job = job.array_job;
  place.array_task = job.array_task;
  return of_errors ? error_path(*job.spec, place) : output_path(*job.spec, place);
}

std::int64_t job_cpus(const JobView& view) {
  if (view.cpus > 0) return view.cpus;
  const JobSpec& spec = *view.job.spec;
  return std::max(spec.tasks, job_nodes(view)) * spec.cpus_per_task;
}

std::int64_t job_min_cpus(const JobSpec& spec) {
  const std::int64_t of_tasks = std::max<std::int64_t>(1, spec.tasks_per_node) * spec.cpus_per_task;
  return std::max(of_tasks, spec.min_cpus);
}

std::string job_sharing(const JobSpec& spec) {
  if (spec.exclusive) return "NO";
  return spec.exclusive_user ? "USER" : "OK";
}

std::int64_t job_nodes(const JobView& view) {
  return view.nodes.empty() ? view.job.spec->nodes : std::ssize(view.nodes);
}

std::string job_tres(const JobView& view) {
  const JobSpec& spec = *view.job.spec;
  const std::int64_t nodes = job_nodes(view);
  const std::int64_t memory_mb =
      view.nodes.empty() ? spec.memory_mb_per_node * nodes : view.memory_mb;
  const std::int64_t gpus =
      view.nodes.empty() ? std::max(spec.gpus, spec.gpus_per_node * nodes) : view.gpus;
  const std::string cpus = std::to_string(job_cpus(view));
  std::string text = "cpu=" + cpus;
  if (memory_mb > 0) text += ",mem=" + memory_units(memory_mb, true);
  text += ",node=" + std::to_string(nodes) + ",billing=" + cpus;
  if (gpus > 0) text += ",gres/gpu=" + std::to_string(gpus);
  return text;
}

std::string job_tres_per_node(const JobSpec& spec) {
  std::string text;
  if (spec.gpus_per_node > 0) text = "gres/" + gpus_of_type(spec.gpu_type, spec.gpus_per_node);
  if (!spec.gres.empty()) text += (text.empty() ? "gres/" : ",gres/") + spec.gres;
  return text;
}

std::int64_t job_priority(const JobView& view) {
  constexpr double most = 4'294'967'293.0;  // the largest priority in Slurm
  if (view.job.held || view.priority <= 0) return view.job.held ? 0 : 1;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(view.priority, most)));
}

Wall job_start(const JobView& view) {
  if (view.job.state == JobState::Pending) return view.expected_start;
  return view.job.started;
}

Wall job_end(const JobView& view, Wall now) {
  if (view.job.ended != Wall{}) return view.job.ended;
  if (view.left_ms >= 0) return now + Milliseconds{view.left_ms};
  if (view.expected_start == Wall{} || view.job.spec->time_limit_s == 0) return {};
  return view.expected_start + std::chrono::seconds{view.job.spec->time_limit_s};
}

std::string memory_units(std::int64_t megabytes, bool convert) {
  constexpr std::string_view units = "MGTPE";
  std::size_t unit = 0;
  if (megabytes == 0) return "0";
  while (convert && unit + 1 < units.size() && megabytes % 1024 == 0) {
    megabytes /= 1024;
    ++unit;
  }
  return std::to_string(megabytes) + units[unit];
}

}  // namespace cox
