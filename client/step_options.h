// What the options of srun ask, as they were written; client/step_plan settles it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/step.h"

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
  std::int64_t wait_s = 0;       // after its first task's end; 0: for ever
  std::int64_t immediate_s = 0;  // how long it waits for room; 0: it does not say
  bool quit_on_interrupt = false;
  bool interrupt_at_once = false;  // --disable-status
  std::string work_dir;
  std::string export_list;  // empty: not asked
  bool list_mpi = false;
  std::int32_t tasks_per_gpu = 0;           // 0: not asked
  std::string cpu_bind, gpu_bind;           // checked, and as written
  std::vector<std::int64_t> het_groups;     // of its job; empty: it does not say
  std::string task_prolog, task_epilog;     // programs on the nodes, around each task
  std::string prolog, epilog;               // programs on this host, around the step; "none"
  std::vector<std::string> nodes_in_order;  // of --nodelist, as written
  bool bcast = false;                       // the program is copied to the nodes first
  std::string bcast_path;                   // to this path; empty: it does not say
  std::vector<std::string> clusters;        // it is to be one of them; empty: any
  std::string mpi;  // what its tasks find each other by: "pmi2", "pmix"; empty: nothing
};

}  // namespace cox
