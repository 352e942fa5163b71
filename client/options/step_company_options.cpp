// Options of srun about the surroundings of the tasks: soft limits, copying the program to the
// nodes, prologs and epilogs, the cluster, and showing the tasks' processes.
#include "client/options/option_values.h"
#include "client/options/submit_option_table.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

Failure set_bcast(SubmitOptions& asked, std::string_view value) {
  asked.step.bcast = true;
  asked.step.bcast_path.clear();
  if (value.empty()) return std::nullopt;
  return set_text(value, limits::path_bytes_max, asked.step.bcast_path);
}

// Accepts --send-libs=no. Refuses yes, which as in Slurm is also the value of the bare option:
// --bcast copies no libraries.
Failure set_send_libs(SubmitOptions&, std::string_view value) {
  if (value == "no" || value == "n") return std::nullopt;
  return Refusal{"--bcast copies only the program, not its libraries",
                 "install them on the nodes, or copy them with sbcast and set LD_LIBRARY_PATH"};
}

// Accepts --bcast-exclude without effect: --bcast copies no libraries that could be excluded.
Failure set_bcast_exclude(SubmitOptions&, std::string_view) {
  return std::nullopt;
}

Failure set_clusters(SubmitOptions& asked, std::string_view value) {
  asked.step.clusters.clear();
  for (const std::string_view name : split(value, ','))
    if (!name.empty()) asked.step.clusters.emplace_back(name);
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
  {"propagate", 0, optional_value, "LIMITS", "soft limits to pass on: ALL, NONE, CORE,STACK,...",
   "", set_by<set_propagated, &SubmitOptions::propagate>},
  {"bcast", 0, optional_value, "PATH",
   "copy the program to the nodes first; with /FOLDER/ it gets a new name", "SLURM_BCAST",
   set_bcast},
  {"bcast-exclude", 0, one_value, "PATHS", "accepted: no libraries are copied",
   "SLURM_BCAST_EXCLUDE", set_bcast_exclude},
  {"send-libs", 0, optional_value, "no", "", "SLURM_SEND_LIBS", set_send_libs},
  {"task-prolog", 0, one_value, "PROGRAM",
   "run before each task; its lines export NAME=VALUE, unset NAME and print TEXT are obeyed",
   "SLURM_TASK_PROLOG", set_program<&StepOptions::task_prolog>},
  {"task-epilog", 0, one_value, "PROGRAM", "run after each task, for 5 s at most",
   "SLURM_TASK_EPILOG", set_program<&StepOptions::task_epilog>},
  {"prolog", 0, one_value, "PROGRAM", "run on this host before the step; or none", "SLURM_PROLOG",
   set_program<&StepOptions::prolog>},
  {"epilog", 0, one_value, "PROGRAM", "run on this host after the step; or none", "SLURM_EPILOG",
   set_program<&StepOptions::epilog>},
  {"clusters", 'M', one_value, "LIST", "this cluster's name, or all", "SLURM_CLUSTERS",
   set_clusters},
  {"debugger-test", 0, Takes::Nothing, "",
   "print the host, process id and program of each task once all run", "",
   into<in_step, &StepOptions::shows_processes>},
};
// clang-format on

}  // namespace

std::span<const SubmitOption> step_company_option_table() {
  return company_options;
}

}  // namespace cox
