#include "worker/supervisor/node_program.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_variables.h"

namespace cox {

namespace {

constexpr const char* system_path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
constexpr int exit_code_bits = 8;  // a wait status has the exit code above these bits

std::string_view title(NodeProgram which) {
  return which == NodeProgram::Prolog ? "Prolog" : "Epilog";
}

// Returns the rank whose exit code the epilog gets in its environment: the batch script, or the
// gang's rank with the highest exit code on this node. Null: no rank has exited here.
const RankStatus* deciding_rank(const AttemptStatus& status) {
  const RankStatus* highest = nullptr;
  for (const RankStatus& rank : status.ranks) {
    if (rank.phase != RankPhase::Exited) continue;
    if (highest == nullptr || rank.exit_code > highest->exit_code) highest = &rank;
  }
  return highest;
}

// Sets the exit codes of the job on this node for the epilog. SLURM_JOB_DERIVED_EC is the highest
// one of its steps here.
void set_exit_codes(Variables& v, const AttemptStatus& status) {
  const RankStatus* rank = deciding_rank(status);
  if (rank == nullptr) return;
  std::int32_t derived = 0;
  for (const StepStatus& step : status.steps) derived = std::max(derived, step.exit_code);
  v["SLURM_JOB_DERIVED_EC"] = std::to_string(derived);
  v["SLURM_JOB_EXIT_CODE"] =
      std::to_string((rank->exit_code << exit_code_bits) + rank->exit_signal);
  v["SLURM_JOB_EXIT_CODE2"] =
      std::to_string(rank->exit_code) + ":" + std::to_string(rank->exit_signal);
}

}  // namespace

std::string path_of(NodeProgram which, const SitePrograms& site) {
  switch (which) {
    case NodeProgram::None: return "";
    case NodeProgram::Prolog: return site.prolog;
    case NodeProgram::Epilog: return site.epilog;
  }
  CHECK(false && "unknown NodeProgram");
}

std::vector<std::string> node_program_environment(NodeProgram which, const LaunchSpec& launch,
                                                  const GoOrder& go, const AttemptStatus& status) {
  Variables v;
  set_job(v, launch, go, "");
  set_array(v, launch);
  set_node(v, launch);
  set_for_site(v, launch);
  const bool is_epilog = which == NodeProgram::Epilog;
  v["SLURM_SCRIPT_CONTEXT"] = is_epilog ? "epilog_slurmd" : "prolog_slurmd";
  if (is_epilog) set_exit_codes(v, status);
  v["PATH"] = system_path;
  return entries_of(v);
}

std::string node_program_error(NodeProgram which, const std::string& how,
                               const std::string& output) {
  const std::string line = printable(output.substr(0, output.find('\n')));
  const std::string text =
      std::string(title(which)) + " error: " + how + (line.empty() ? "" : ": " + line);
  return cut_text(text, limits::reason_bytes_max);
}

}  // namespace cox
