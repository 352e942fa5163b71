// The parsed options of `cox submit`, `sbatch`, `salloc` and `srun` (client/options/given_options.h
// parses and applies them). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client/options/allocation_options.h"
#include "client/options/step_options.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

// The values of the options that were applied so far. A field of `spec` that no option set has the
// default of JobSpec.
struct SubmitOptions {
  JobSpec spec;
  StepOptions step;              // only srun
  AllocationOptions allocation;  // only salloc
  // type in --gpus or --gres: "h100" of gpu:h100:2; --gpu-type sets spec.gpu_type
  std::string gpus_type;
  std::string export_list = "ALL";  // --export, as written
  // path of a file of node names, from --nodelist or SLURM_HOSTFILE; or empty
  std::string host_file;
  std::string propagate;          // --propagate, as written; empty: not given
  std::string wrap;               // --wrap; empty: none
  std::string begin;              // --begin, as written; resolve_job() converts it to UTC
  std::string deadline;           // --deadline, as written; resolve_job() converts it to UTC
  std::int64_t resume_task = -1;  // task 4 of --resume-from=17_4; -1: no task is named
  bool parsable = false;          // --parsable: print only the job id
  bool quiet = false;             // print only errors
  bool json = false;
  bool wait = false;  // --wait: wait for the end of the job and exit with its exit code
  // --request-id: repeats an earlier submission whose outcome is unknown; empty: a new submission
  std::string request_id;
  bool test = false;  // --test: show when and where the job would start; submit nothing
  bool help = false;
  bool version = false;
  bool overcommit = false;   // --overcommit: all tasks of a node share the CPUs of one task
  std::int64_t verbose = 0;  // number of -v
  std::map<std::string, std::string> in_effect;  // by name of option: its last value, as written
};

// Copies to `to` the options that apply to the whole submission (--wait, --test, --wrap, ...). They
// may be given for any component.
void copy_common_options(const SubmitOptions& from, SubmitOptions& to);

// The options of each component of a heterogeneous job, by number of the component. A job without
// components has one entry. of() adds the missing entries.
struct ComponentOptions {
  std::vector<SubmitOptions> asked = std::vector<SubmitOptions>(1);

  SubmitOptions& of(std::size_t component) {
    if (component >= asked.size()) asked.resize(component + 1);
    return asked[component];
  }
};

// Call this after all options have been applied. Refuses contradictions (--quiet and --verbose, two
// different types of GPUs) and applies --overcommit.
Failure resolve_options(SubmitOptions& asked);

}  // namespace cox
