#include "common/job/job_ref.h"

#include <limits>

#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {

Result<JobRef> parse_component_ref(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return parse_job_ref(text);
  auto job = parse_job_ref(text.substr(0, plus));
  const auto component = parse_count(text.substr(plus + 1), 0, limits::job_components_max - 1);
  if (!job || !job->tasks.empty() || !component)
    return Refusal{quoted(text) + " is not a job id", "write a component like 17+1"};
  job->component = *component;
  return job;
}

Result<JobRef> parse_job_ref(std::string_view text) {
  const std::string hint = "write a number like 17, a task as 17_4, several as 17_[1-3,7]";
  if (text.find('+') != std::string_view::npos) {
    const auto component = parse_component_ref(text);
    if (!component) return component.refusal();
    return Refusal{quoted(text) + " is a component, and only a whole job can be named here",
                   "name the job: " + std::to_string(component->id.value)};
  }
  const std::size_t line = text.find('_');
  const auto id = parse_count(text.substr(0, line), 1, std::numeric_limits<std::int64_t>::max());
  if (!id) return Refusal{quoted(text) + " is not a job id", hint};
  if (line == std::string_view::npos) return JobRef{JobId{*id}, ""};
  std::string_view tasks = text.substr(line + 1);
  const bool in_brackets = tasks.starts_with('[') && tasks.ends_with(']') && tasks.size() > 2;
  if (in_brackets) tasks = tasks.substr(1, tasks.size() - 2);
  // Drops the limit of running tasks, which a shown id has: 17_[4-9%2].
  if (in_brackets) tasks = tasks.substr(0, tasks.find('%'));
  if (in_brackets && tasks.ends_with(",..."))
    return Refusal{quoted(text) + " is cut: the row has more tasks than are shown",
                   "name the row by one of its tasks, like " + std::to_string(*id) + "_" +
                       std::string(tasks.substr(0, tasks.find_first_not_of("0123456789")))};
  const auto parsed = parse_array_tasks(tasks);
  if (!parsed) return Refusal{quoted(text) + ": " + parsed.refusal().fact, hint};
  if (!in_brackets && parsed->count() > 1)
    return Refusal{quoted(text) + " names several tasks without brackets", hint};
  return JobRef{JobId{*id}, format_array_tasks(*parsed)};
}

Result<StepRef> parse_step_ref(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto job = parse_job_ref(text.substr(0, dot));
  if (!job) return job.refusal();
  if (dot == std::string_view::npos) return StepRef{*job, -1};
  const auto step = parse_count(text.substr(dot + 1), 0, std::numeric_limits<std::int32_t>::max());
  if (!step) return Refusal{quoted(text) + " is not a step id", "write it like 17.0, or 17_4.0"};
  return StepRef{*job, static_cast<std::int32_t>(*step)};
}

std::string format_job_ref(JobId id, std::string_view tasks) {
  const std::string text = std::to_string(id.value);
  if (tasks.empty()) return text;
  const bool is_one = tasks.find_first_not_of("0123456789") == std::string_view::npos;
  return text + (is_one ? "_" : "_[") + std::string(tasks) + (is_one ? "" : "]");
}

namespace {

// Where Slurm cuts shown ids; cox.command_id in SQL cuts there too.
constexpr std::size_t shown_bytes_max = 64;

}  // namespace

bool names_all_tasks(const Job& job) {
  return format_array_tasks(job.array_tasks).size() <= shown_bytes_max;
}

std::string shown_id(const Job& job) {
  if (!has_several_tasks(job)) return command_id(job);
  std::string tasks = format_array_tasks(job.array_tasks);
  if (tasks.size() > shown_bytes_max)
    tasks = tasks.substr(0, tasks.rfind(',', shown_bytes_max)) + ",...";
  if (job.array_limit > 0) tasks += "%" + std::to_string(job.array_limit);
  return std::to_string(job.array_job.value) + "_[" + tasks + "]";
}

std::string command_id(const Job& job) {
  if (job.component >= 0) return std::to_string(job.id.value) + "+" + std::to_string(job.component);
  if (!is_of_array(job)) return std::to_string(job.id.value);
  if (has_several_tasks(job)) {
    const std::string tasks = format_array_tasks(job.array_tasks);
    if (tasks.size() <= shown_bytes_max) return format_job_ref(job.array_job, tasks);
  }
  return format_job_ref(job.array_job, std::to_string(tasks_of(job).first()));
}

ArrayTasks tasks_of(const Job& job) {
  CHECK(is_of_array(job));
  return has_several_tasks(job) ? job.array_tasks : ArrayTasks({job.array_task});
}

std::int64_t task_count(const Job& job) {
  return has_several_tasks(job) ? job.array_tasks.count() : 1;
}

void set_tasks(Job& job, const ArrayTasks& tasks) {
  CHECK(is_of_array(job) && !tasks.empty());
  const bool is_one = tasks.count() == 1;
  job.array_task = is_one ? tasks.first() : -1;
  job.array_tasks = is_one ? ArrayTasks() : tasks;
}

}  // namespace cox
