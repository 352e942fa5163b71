// --open-mode of a job. By default the first attempt that runs empties the output files and later
// ones append, so that nothing is lost when a job is requeued. With "truncate" each attempt empties
// them, as Slurm does. Set by the client's options, read by the supervisor.
#pragma once

#include <algorithm>
#include <string_view>

#include "common/job/job.h"

namespace cox {

// The entry of JobSpec::stored_options.
inline constexpr std::string_view truncate_stored = "open-mode=truncate";

inline bool truncates_each_attempt(const JobSpec& spec) {
  return std::ranges::find(spec.stored_options, truncate_stored) != spec.stored_options.end();
}

}  // namespace cox
