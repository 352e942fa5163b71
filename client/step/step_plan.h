// Turns the words and environment of `srun` into the request for a step and the orders to its
// nodes. This takes three calls, because the controller decides which tasks run on which node:
//
//   parse_step(words)  →  StepCommand
//   plan_step(command, surroundings, how to read a file)  →  StepPlan: the request
//   begin_of(plan, step)  →  StepBegin: the order to every node
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/step/multi_prog.h"
#include "client/step/step_routes.h"
#include "client/submit/submit.h"
#include "common/messages/messages.h"

namespace cox {

struct StepCommand {
  GivenOptions given;
  // values from the command line, without variables; complete for help, version and list_mpi
  SubmitOptions options;
  std::vector<std::string> words;  // the program and its arguments, or the file of --multi-prog
};

Result<StepCommand> parse_step(const std::vector<std::string>& words);

// One of the parallel steps that `srun A : B` starts on components of a heterogeneous job. A
// program with --het-group has a step on each component that it names; without it, the i-th program
// runs on the i-th component.
struct StepPart {
  StepCommand command;
  std::vector<std::string> words;  // the arguments of an srun process for only this step
};
Result<std::vector<StepPart>> parse_steps(const std::vector<std::string>& words);

// Checks that the job of the environment (SLURM_HET_SIZE) has all components that the parts run on.
// The check comes before any step starts, so that srun does not run only some of its steps. For a
// job named with --jobid, only the controller can check.
Failure check_groups(const std::vector<StepPart>& parts,
                     const std::vector<std::string>& environment);

struct StepPlan {
  CreateStep create;    // request for the step; the caller adds request id and stream address
  SubmitOptions asked;  // from all sources
  StepNames names;
  std::vector<std::string> words;
  std::vector<ProgramLine> programs;  // --multi-prog
  std::string environment;
  std::string work_dir;
  std::vector<std::string> warnings;
  std::string about_job;  // for --verbose: "jobid 12: nodes(2):`n[1-2]', cpu counts: 4(x2)"
};

// Returns what --verbose prints first: the options of one step, from all sources.
std::string step_options_in_effect(const StepCommand& command, const SubmitSurroundings& around);

// Returns the names in --clusters or SLURM_CLUSTERS: clusters where the step may run. Empty: any.
std::vector<std::string> step_clusters(const StepCommand& command,
                                       const SubmitSurroundings& around);

// Returns the input and output files of the step that srun can check before it creates the step.
// Returns none if an option is not valid.
KnownFiles known_step_files(const StepCommand& command, const SubmitSurroundings& around);

// Plans the step. `read_file` reads the file of --multi-prog, and a file of node names.
Result<StepPlan> plan_step(const StepCommand& command, const SubmitSurroundings& around,
                           const ReadFile& read_file);

// Facts about the srun process, for variables of the tasks such as SLURM_SRUN_COMM_HOST.
struct StepPlace {
  std::string host;
  std::string address;
  std::int64_t port = 0;  // where step daemons connect to srun; 0: on a Unix socket instead
  std::int32_t umask = 022;
  std::int32_t priority = 0;  // srun's nice value
};
void add_step_variables(StepPlan& plan, const StepPlace& place, const SubmitSurroundings& around);

Result<StepBegin> begin_of(const StepPlan& plan, const StepView& step, const StepRoutes& routes);

// Returns the exit code in the variable, SLURM_EXIT_ERROR or SLURM_EXIT_IMMEDIATE; 1 if it is unset
// or not a number from 0 to 255.
int exit_code_for(const std::vector<std::string>& environment, std::string_view variable);

}  // namespace cox
