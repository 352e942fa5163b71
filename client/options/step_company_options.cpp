// Options of srun: what srun sends along with the tasks (the program, the caller's limits), which
// programs run before and after them, on which clusters the step may run, and whether srun shows
// the tasks' processes.
#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

Failure set_step_propagate(SubmitOptions& asked, std::string_view value) {
  return set_propagated(value, asked.propagate);
}

Failure set_bcast(SubmitOptions& asked, std::string_view value) {
  asked.step.bcast = true;
  asked.step.bcast_path.clear();
  if (value.empty()) return std::nullopt;
  return set_text(value, limits::path_bytes_max, asked.step.bcast_path);
}

// Parses --send-libs. As in Slurm, the option without a value means yes.
Failure set_send_libs(SubmitOptions&, std::string_view value) {
  if (value == "no" || value == "n") return std::nullopt;
  return Refusal{"--bcast copies only the program, not its libraries",
                 "install them on the nodes, or copy them with sbcast and set LD_LIBRARY_PATH"};
}

// Accepts --bcast-exclude: no libraries are copied, so none can be excluded.
Failure set_bcast_exclude(SubmitOptions&, std::string_view) {
  return std::nullopt;
}

Failure set_clusters(SubmitOptions& asked, std::string_view value) {
  asked.step.clusters.clear();
  for (const std::string_view name : split(value, ','))
    if (!name.empty()) asked.step.clusters.emplace_back(name);
  return std::nullopt;
}

Failure set_debugger_test(SubmitOptions& asked, std::string_view) {
  asked.step.shows_processes = true;
  return std::nullopt;
}

// Stores the path of a program. --prolog and --epilog also accept "none".
template <std::string StepOptions::*program>
Failure set_program(SubmitOptions& asked, std::string_view value) {
  return set_text(value, limits::path_bytes_max, asked.step.*program);
}

constexpr auto optional_value = Takes::ValueAttached;
constexpr auto one_value = Takes::Value;

// clang-format off
constexpr SubmitOption company_options[] = {
  {"propagate", 0, optional_value, "", "LIMITS",
   "soft limits to pass on: ALL, NONE, CORE,STACK,...", false,
   set_step_propagate},
  {"bcast", 0, optional_value, "SLURM_BCAST", "PATH",
   "copy the program to the nodes first; with /FOLDER/ it gets a new name", false, set_bcast},
  {"bcast-exclude", 0, one_value, "SLURM_BCAST_EXCLUDE", "PATHS",
   "accepted: no libraries are copied", false, set_bcast_exclude},
  {"send-libs", 0, optional_value, "SLURM_SEND_LIBS", "no", "", false, set_send_libs},
  {"task-prolog", 0, one_value, "SLURM_TASK_PROLOG", "PROGRAM",
   "run before each task; its lines export NAME=VALUE, unset NAME and print TEXT are obeyed", false,
   set_program<&StepOptions::task_prolog>},
  {"task-epilog", 0, one_value, "SLURM_TASK_EPILOG", "PROGRAM",
   "run after each task, for 5 s at most", false, set_program<&StepOptions::task_epilog>},
  {"prolog", 0, one_value, "SLURM_PROLOG", "PROGRAM", "run here before the step; none", false,
   set_program<&StepOptions::prolog>},
  {"epilog", 0, one_value, "SLURM_EPILOG", "PROGRAM", "run here after the step; none", false,
   set_program<&StepOptions::epilog>},
  {"clusters", 'M', one_value, "SLURM_CLUSTERS", "LIST", "this cluster's name, or all", false,
   set_clusters},
  {"debugger-test", 0, Takes::Nothing, "", "",
   "print the host, process id and program of each task once all run", false, set_debugger_test},
};
// clang-format on

}  // namespace

std::span<const SubmitOption> step_company_option_table() {
  return company_options;
}

}  // namespace cox
