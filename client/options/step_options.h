// The values of srun's options. client/step/step_plan combines and checks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/job/step.h"

namespace cox {

struct StepOptions {
  StepSpec spec;
  std::string job;   // --jobid, as written
  std::string name;  // --job-name
  std::string output, error, input;
  bool append = false;
  bool label = false;
  bool unbuffered = false;
  bool multi_prog = false;
  bool pty = false;
  bool kill_on_bad_exit = false;
  // --wait: seconds after the end of the first task until all others are killed; 0: never
  std::int64_t wait_s = 0;
  // --immediate=N: seconds to wait for the step to start; 0: not given
  std::int64_t immediate_s = 0;
  bool quit_on_interrupt = false;
  bool interrupt_at_once = false;  // --disable-status
  bool shows_processes = false;    // --debugger-test
  std::string work_dir;
  std::string export_list;  // empty: not given
  bool list_mpi = false;
  std::int32_t tasks_per_gpu = 0;  // 0: not set
  std::string cpu_bind, gpu_bind;  // --cpu-bind and --gpu-bind, validated, as written
  // --het-group: numbers of components of the job; empty: not set
  std::vector<std::int64_t> het_groups;
  std::string task_prolog, task_epilog;  // programs that the nodes run before and after each task
  // programs that srun runs on its host before and after the step; or "none"
  std::string prolog, epilog;
  std::vector<std::string> nodes_in_order;  // --nodelist, as written
  bool bcast = false;                       // --bcast: copy the program to the nodes before it runs
  std::string bcast_path;                   // --bcast=PATH: path of the copy; empty: not given
  // --clusters: names of the clusters where the step may run; empty: any
  std::vector<std::string> clusters;
  std::string mpi;  // --mpi, the PMI that MPI tasks use: "pmi2", "pmix"; empty: none
};

}  // namespace cox
