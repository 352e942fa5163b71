#include "client/io/step/task_jobs.h"

#include "client/text/screen.h"
#include "common/job/job_ref.h"
#include "common/syntax/array_tasks.h"

namespace cox {

std::variant<JobId, NoJobOfTask> job_of_task(Asker& controller, JobId array, std::int64_t task) {
  const auto answer = controller.ask(ShowJob{array, task, ""});
  if (!answer) return NoJobOfTask{answer.refusal(), exit_unreachable};
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return NoJobOfTask{refused->why, exit_refused};
  const auto* detail = std::get_if<JobDetail>(&*answer);
  if (detail == nullptr)
    return NoJobOfTask{{"the controller sent an unexpected reply", ""}, exit_refused};
  const Job& job = detail->view.job;
  if (!has_several_tasks(job)) return job.id;
  const std::string name = format_job_ref(array, std::to_string(task));
  return NoJobOfTask{{"task " + name + " has not started, so it has no checkpoint",
                      "`cox show job " + name + "` shows the task"},
                     exit_refused};
}

std::optional<NoJobOfTask> refuse_whole_array(Asker& controller, JobId job) {
  const auto answer = controller.ask(ShowJob{job, -1, ""});
  if (!answer) return NoJobOfTask{answer.refusal(), exit_unreachable};
  const auto* detail = std::get_if<JobDetail>(&*answer);
  if (detail == nullptr || detail->tasks.empty()) return std::nullopt;
  std::int64_t count = 0;
  for (const TaskGroup& group : detail->tasks) count += group.count;
  const auto tasks = parse_array_tasks(detail->tasks.front().tasks);
  const std::string like = format_job_ref(job, tasks ? std::to_string(tasks->first()) : "TASK");
  return NoJobOfTask{{"array " + std::to_string(job.value) + " has " + std::to_string(count) +
                          (count == 1 ? " task, and it has" : " tasks, and each has") +
                          " its own checkpoints",
                      "name one, like " + like + "; `cox checkpoints` lists those of all jobs"},
                     exit_refused};
}

std::optional<NoJobOfTask> name_tasks_by_jobs(Asker& controller, JobsOptions& options) {
  for (std::size_t i = 0; i < options.tasks.size(); ++i) {
    if (options.tasks[i].empty()) {
      if (auto refused = refuse_whole_array(controller, options.ids[i])) return refused;
      continue;
    }
    const auto tasks = parse_array_tasks(options.tasks[i]);
    CHECK(tasks.ok() && tasks->count() == 1);  // the parser of the command line ensures it
    const auto found = job_of_task(controller, options.ids[i], tasks->first());
    if (const auto* none = std::get_if<NoJobOfTask>(&found)) return *none;
    options.ids[i] = std::get<JobId>(found);
    options.tasks[i].clear();
  }
  return std::nullopt;
}

}  // namespace cox
