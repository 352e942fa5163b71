// Options of Slurm and of its plugin pyxis that have no effect here. Scripts with them run
// unchanged; a warning on stderr names each option.
#include <string>

#include "client/options/submit_option_table.h"
#include "common/job/container.h"

namespace cox {
namespace ignored_option {
namespace {

constexpr auto none = Takes::Nothing;
constexpr auto required = Takes::Value;

// clang-format off
constexpr SubmitOption options[] = {
  // this row is only for sbatch and salloc; ignored_step_option_table() skips it
  {"ignore-pbs", 0, none, "", "these have no effect; a warning is printed", "SBATCH_IGNORE_PBS",
   ignore_option},
  // the rows from here on are for sbatch, salloc and srun
  {"tmp", 0, required, "SIZE", "these have no effect; a warning is printed", "", ignore_option},
  {"bb", 0, required, "", "", "", ignore_option},
  {"bbf", 0, required, "", "", "", ignore_option},
  {"stepmgr", 0, none, "", "", "", ignore_option},
  {"container-save", 0, required, "", "", "", ignore_option},
  {"container-mount-home", 0, none, "", "", "", ignore_option},
  {"no-container-mount-home", 0, none, "", "", "", ignore_option},
  {"container-remap-root", 0, none, "", "", "", ignore_option},
  {"no-container-remap-root", 0, none, "", "", "", ignore_option},
  {"container-entrypoint", 0, none, "", "", "", ignore_option},
  {"no-container-entrypoint", 0, none, "", "", "", ignore_option},
  {"container-entrypoint-log", 0, none, "", "", "", ignore_option},
  {"container-writable", 0, none, "", "", "", ignore_option},
  {"container-readonly", 0, none, "", "", "", ignore_option},
};
// clang-format on

}  // namespace
}  // namespace ignored_option

std::span<const SubmitOption> ignored_option_table() {
  return ignored_option::options;
}

std::span<const SubmitOption> ignored_step_option_table() {
  return ignored_option_table().subspan(1);
}

std::vector<std::string> ignored_option_warnings(const SubmitOptions& asked) {
  std::vector<std::string> warnings;
  for (const SubmitOption& option : ignored_option::options) {
    const std::string name(option.name);
    if (!asked.in_effect.contains(name)) continue;
    warnings.push_back("--" + name + " has no effect here and is ignored");
  }
  // Checks `in_effect` first, since build_submit() moves the job's specification out of `asked`
  // before this call.
  if (asked.in_effect.contains("container-image") || asked.in_effect.contains("container") ||
      wants_container(asked.spec.stored_options))
    return warnings;
  for (const SubmitOption& option : container_option_table()) {
    const std::string name(option.name);
    if (asked.in_effect.contains(name))
      warnings.push_back("--" + name + " has no effect without --container-image and is ignored");
  }
  return warnings;
}

}  // namespace cox
