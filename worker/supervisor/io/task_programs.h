// Programs that run as the job's user before and after each task: the site's task_prolog and
// task_epilog, and srun's --task-prolog and --task-epilog. A prolog runs as a child of the process
// that is about to become the task. It has the task's environment, and its output changes that
// environment (task_prolog_lines.h). If it fails, the task ends with its exit code and never runs,
// as in Slurm.
#pragma once

#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/job/site_programs.h"

namespace cox {

struct TaskProgram {
  std::string path;
  Milliseconds limit{0};  // the program is killed after this time
  bool is_users = false;  // true: an option of srun names it; false: the site's
};

// Return the programs in the order in which they run: the site's prolog before the user's, the
// site's epilog after the user's. `users`: path of srun's program; empty: none.
std::vector<TaskProgram> task_prologs(const SitePrograms& site, const std::string& users);
std::vector<TaskProgram> task_epilogs(const SitePrograms& site, const std::string& users);

// Runs each prolog and changes the environment (NAME=value each) as its output says. If a prolog
// fails, ends this process. REQUIRES: this is a child made by fork, with the streams of the task.
void run_task_prologs(const std::vector<TaskProgram>& prologs,
                      std::vector<std::string>& environment);

}  // namespace cox
