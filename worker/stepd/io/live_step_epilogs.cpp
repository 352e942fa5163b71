// The epilogs of a step's tasks: srun's --task-epilog, then the site's task_epilog. They run when
// the task has exited, and the exit is reported when they have ended. Their results are ignored, as
// in Slurm.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "worker/stepd/io/live_step.h"
#include "worker/stepd/step_environment.h"

namespace cox {

using namespace stepd;

void LiveStep::end_task(std::size_t local, TaskExited exited) {
  Task& task = tasks_[local];
  const bool has_run = task.process.pid > 0;
  if (has_run) task.epilogs = task_epilogs(around_.job.site, begin_.task_epilog);
  task.exited = std::move(exited);
  run_next_epilog(local);
}

// Returns the order to start an epilog. The epilog gets the environment that the task had before
// its prologs changed it.
TaskOrder LiveStep::epilog_order(std::size_t local, const TaskProgram& program) const {
  const StepEnvironment environment(around_.job, around_.go, launch_, begin_.environment,
                                    around_.folder);
  TaskOrder order;
  order.words = {program.path};
  order.environment = environment.of_task(local);
  take_soft_limits(order.environment);  // drops srun's soft limits, which are for the task only
  order.work_dir = begin_.work_dir;
  order.umask = static_cast<mode_t>(begin_.umask);
  order.input = order.output = order.error = {false, "/dev/null", true};
  return order;
}

void LiveStep::run_next_epilog(std::size_t local) {
  Task& task = tasks_[local];
  while (!is_killed_ && !task.epilogs.empty()) {
    const TaskProgram program = task.epilogs.front();
    task.epilogs.erase(task.epilogs.begin());
    auto process = start_task(epilog_order(local, program));
    if (!process) continue;
    task.epilog = std::move(*process);
    task.epilog_until = around_.now.boot + program.limit;
    ++epilogs_running_;
    around_.watches.add(task.epilog.exited.get(), {launch_.number, local, Watches::Kind::Epilog});
    return;
  }
  feed(*std::exchange(task.exited, std::nullopt));
}

void LiveStep::note_epilog_exit(std::size_t local) {
  Task& task = tasks_[local];
  if (task.epilog.pid <= 0) return;
  around_.watches.remove(task.epilog.exited.get());
  // Kills processes that the epilog left in its group. The epilog is not reaped yet, so no other
  // group can have its number.
  ::kill(-task.epilog.pid, SIGKILL);
  ::waitpid(task.epilog.pid, nullptr, 0);
  task.epilog = {};
  --epilogs_running_;
  run_next_epilog(local);
}

void LiveStep::kill_epilogs() {
  is_killed_ = true;
  for (const Task& task : tasks_)
    if (task.epilog.pid > 0) ::kill(-task.epilog.pid, SIGKILL);
}

void LiveStep::end_late_epilogs() {
  if (epilogs_running_ == 0) return;
  for (Task& task : tasks_) {
    if (task.epilog.pid <= 0 || around_.now.boot < task.epilog_until) continue;
    ::kill(-task.epilog.pid, SIGKILL);
    task.epilog_until = Boot::max();
  }
}

std::optional<Boot> LiveStep::wakeup() const {
  std::optional<Boot> next = run_.wakeup();
  if (epilogs_running_ == 0) return next;
  for (const Task& task : tasks_)
    if (task.epilog.pid > 0 && task.epilog_until < Boot::max())
      next = next ? std::min(*next, task.epilog_until) : task.epilog_until;
  return next;
}

}  // namespace cox
