// From the words of `srun` and its environment to what the controller and the nodes are told, in
// three steps, because the step's shape is the controller's:
//
//   parse_step(words)  →  StepCommand
//   plan_step(command, surroundings, how to read a file)  →  StepPlan: the request
//   begin_of(plan, step)  →  StepBegin: what every node is told
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
  SubmitOptions options;           // these alone: help, version and list_mpi are final here
  std::vector<std::string> words;  // the program's, or the file of --multi-prog
};

Result<StepCommand> parse_step(const std::vector<std::string>& words);

// Several steps beside each other, on components of a heterogeneous job: those of `srun A : B`, and
// of each program one for each of its --het-group. Programs that do not say are for the components
// in their order.
struct StepPart {
  StepCommand command;
  std::vector<std::string> words;  // what srun would be called with for this step alone
};
Result<std::vector<StepPart>> parse_steps(const std::vector<std::string>& words);

// Whether the job that the environment tells of has all those components: told before any step
// begins, as the others would go on alone. Of a job that is named by --jobid the controller judges.
Failure check_groups(const std::vector<StepPart>& parts,
                     const std::vector<std::string>& environment);

struct StepPlan {
  CreateStep create;    // without request id and streams
  SubmitOptions asked;  // of all places
  StepNames names;
  std::vector<std::string> words;
  std::vector<ProgramLine> programs;  // --multi-prog
  std::string environment;
  std::string work_dir;
  std::vector<std::string> warnings;
  std::string about_job;  // of --verbose: "jobid 12: nodes(2):`n[1-2]', cpu counts: 4(x2)"
};

// Returns what --verbose prints first: the options of one step, from all sources.
std::string step_options_in_effect(const StepCommand& command, const SubmitSurroundings& around);

// Returns the clusters of --clusters or SLURM_CLUSTERS, where the step may run. Empty: any cluster.
std::vector<std::string> step_clusters(const StepCommand& command,
                                       const SubmitSurroundings& around);

// Returns the files of the step that srun can check now. None if an option is not valid.
KnownFiles known_step_files(const StepCommand& command, const SubmitSurroundings& around);

// Plans the step. `read_file` reads the file of --multi-prog, and a file of nodes.
Result<StepPlan> plan_step(const StepCommand& command, const SubmitSurroundings& around,
                           const ReadFile& read_file);

// Variables that srun adds to its own for the tasks.
struct StepPlace {
  std::string host;
  std::string address;
  std::int64_t port = 0;  // 0: none, it is called at a socket of this host
  std::int32_t umask = 022;
  std::int32_t priority = 0;  // its nice value
};
void add_step_variables(StepPlan& plan, const StepPlace& place, const SubmitSurroundings& around);

Result<StepBegin> begin_of(const StepPlan& plan, const StepView& step, const StepRoutes& routes);

// SLURM_EXIT_ERROR and SLURM_EXIT_IMMEDIATE, or 1.
int exit_code_for(const std::vector<std::string>& environment, std::string_view variable);

}  // namespace cox
