#include "worker/stepd/io/step_leftovers.h"

#include <signal.h>
#include <unistd.h>

#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/process_identity.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {

// Scanning all processes of the machine at the end of each step would be slow. A process whose
// parent has ended becomes a child of the supervisor. So if no child of the supervisor has the
// step's mark in its environment, the step has left no process behind, and kill_all() scans
// nothing.
StepLeftovers::StepLeftovers(const std::string& folder, std::int32_t step)
    : attempt_mark_(attempt_mark(folder)),
      step_mark_(std::string(supervisor_folder::variable_step) + "=" + std::to_string(step)),
      may_be_any_(may_have_marked_child(::getppid(), step_mark_)) {}

void StepLeftovers::kill_all() const {
  if (!may_be_any_) return;
  const auto found = living_marked(attempt_mark_, step_mark_);
  if (!found) return;  // the list of processes cannot be read: they end with the attempt
  for (const pid_t pid : *found) ::kill(pid, SIGKILL);
}

}  // namespace cox
