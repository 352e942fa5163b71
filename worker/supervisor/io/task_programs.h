// Programs that run as the job's user around each task: the site's task_prolog and task_epilog, and
// srun's --task-prolog and --task-epilog. A prolog runs in the child that is about to become the
// task: it has the task's environment, and what it writes changes that environment
// (task_prolog_lines.h). If it fails, the task ends with its exit code and never runs, as in Slurm.
#pragma once

#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/job/site_programs.h"

namespace cox {

struct TaskProgram {
  std::string path;
  Milliseconds limit{0};  // then it is killed
  bool is_users = false;  // srun's; otherwise the site's
};

// Return the programs in the order of their runs: the site's prolog runs before the user's, the
// site's epilog after the user's.
// `users`: empty: there is none.
std::vector<TaskProgram> task_prologs(const SitePrograms& site, const std::string& users);
std::vector<TaskProgram> task_epilogs(const SitePrograms& site, const std::string& users);

// Runs each program and changes the environment (NAME=value) as its output says. Ends the process
// if a program fails. REQUIRES: a child made by fork, with the streams of the task.
void run_task_prologs(const std::vector<TaskProgram>& prologs,
                      std::vector<std::string>& environment);

}  // namespace cox
