// What the options of srun ask, as they were written; client/step/step_plan settles it.
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
  std::int64_t wait_s = 0;       // after its first task's end; 0: for ever
  std::int64_t immediate_s = 0;  // how long it waits for room; 0: it does not say
  bool quit_on_interrupt = false;
  bool interrupt_at_once = false;  // --disable-status
  bool shows_processes = false;    // --debugger-test
  std::string work_dir;
  std::string export_list;  // empty: not asked
  bool list_mpi = false;
  std::int32_t tasks_per_gpu = 0;           // 0: not set
  std::string cpu_bind, gpu_bind;           // validated; text as written
  std::vector<std::int64_t> het_groups;     // components of the job; empty: not set
  std::string task_prolog, task_epilog;     // run on the nodes, around each task
  std::string prolog, epilog;               // run on this host, around the step; or "none"
  std::vector<std::string> nodes_in_order;  // --nodelist, as written
  bool bcast = false;                       // copy the program to the nodes first
  std::string bcast_path;                   // path of the copy; empty: not set
  std::vector<std::string> clusters;        // the step runs only on one of these; empty: any
  std::string mpi;  // what its tasks find each other by: "pmi2", "pmix"; empty: nothing
};

}  // namespace cox
