#include "client/slurm/answers.h"
#include "common/text.h"

namespace cox {

Question ask_scancel(const Options& options) {
  const bool by_filter =
      !options.user_name.empty() || !options.partition.empty() || !options.states.empty();
  if (!by_filter) return ActOnJobs{JobVerb::Cancel, options.ids, options.tasks};
  return ListJobs{options.ids,       options.states, options.user_name,
                  options.partition, JobId{},        options.tasks};
}

// Says nothing when all went well: callers take any output for a warning.
Shown show_scancel(const Answer& answer, const Options& options, const Screen&) {
  const auto* acted = std::get_if<Acted>(&answer);
  if (acted == nullptr) return {"", "scancel: error: Unexpected message\n", exit_refused};
  Shown shown;
  if (options.quiet) return shown;
  for (const auto& outcome : acted->outcomes) {
    if (!outcome.refused) continue;
    shown.err += "scancel: error: Kill job error on job id " + printable(outcome.what) + ": " +
                 printable(outcome.refused->fact) + "\n";
    shown.exit_code = exit_refused;
  }
  return shown;
}

}  // namespace cox
