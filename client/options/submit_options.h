// What the options of `cox submit` and `sbatch`, `salloc` and `srun` have asked for so far
// (client/options/given_options.h reads and applies them). Pure.
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

// What has been asked so far. In `spec` a field is as JobSpec says when it was not asked.
struct SubmitOptions {
  JobSpec spec;
  StepOptions step;                 // of srun
  AllocationOptions allocation;     // of salloc
  std::string gpus_type;            // h100 of gpu:h100:2; spec.gpu_type is that of --gpu-type
  std::string export_list = "ALL";  // --export, as written
  std::string host_file;            // --nodelist or SLURM_HOSTFILE (host_file.h); empty: none
  std::string propagate;            // --propagate, validated, as written; empty: not set
  std::string wrap;                 // --wrap; empty: none
  std::string begin;                // --begin, as written: it is read when it is submitted
  std::string deadline;             // --deadline, likewise
  std::int64_t resume_task = -1;    // of the array spec.resume_from.job; -1: that is the job itself
  bool parsable = false;            // print the job's id alone
  bool quiet = false;               // print nothing when it went well
  bool json = false;
  bool wait = false;       // until it has ended, and end as it did
  std::string request_id;  // of an earlier submission whose outcome is unknown; empty: a new one
  bool test = false;       // say when and where it would start, and submit nothing
  bool help = false;
  bool version = false;
  bool overcommit = false;                       // all tasks of a node share the CPUs of one task
  std::int64_t verbose = 0;                      // number of -v
  std::map<std::string, std::string> in_effect;  // by option, its last value as it was written
};

// What is of the whole job, whichever component says it: how it is submitted.
void take_common(const SubmitOptions& from, SubmitOptions& to);

// The options of each component of a heterogeneous job, in order. Entries are added when the
// command line or the script names a further component.
struct ComponentOptions {
  std::vector<SubmitOptions> asked = std::vector<SubmitOptions>(1);

  SubmitOptions& of(std::size_t component) {
    if (component >= asked.size()) asked.resize(component + 1);
    return asked[component];
  }
};

// What all that was asked comes to, once nothing more is said: the types of its GPUs, from
// whichever option named them.
Failure settle_options(SubmitOptions& asked);

}  // namespace cox
