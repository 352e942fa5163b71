// Soft resource limits (setrlimit) that are copied from the submitting process to the processes of
// the job, as in Slurm. They are sent in the environment, as SLURM_RLIMIT_CORE=VALUE and so on:
// sbatch and srun add the variables, and each node removes them before it starts a process. Hard
// limits are not sent: each node sets its own. Pure; used by the client and the worker.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

struct SoftLimit {
  std::string name;         // "CORE" of RLIMIT_CORE
  std::uint64_t value = 0;  // in bytes, seconds or a count, as setrlimit() takes it
  // Whether --propagate names it: then an error is reported if it cannot be set.
  bool is_explicit = false;

  bool operator==(const SoftLimit&) const = default;
};

// Returns the limits of `own` that --propagate names: ALL, NONE, or names separated by commas, with
// or without the prefix "RLIMIT_". If `asked` is empty (no --propagate), it returns all limits
// except MEMLOCK, because a login host often has a lower MEMLOCK than programs with RDMA need.
Result<std::vector<SoftLimit>> propagated_limits(std::string_view asked,
                                                 const std::vector<SoftLimit>& own);

// Returns the limits as environment variables, each "NAME=value\0".
std::string soft_limit_variables(const std::vector<SoftLimit>& limits);

// Removes the variables of limits from an environment (entries NAME=value) and returns the limits.
// Drops a limit whose value is not a number.
std::vector<SoftLimit> take_soft_limits(std::vector<std::string>& environment);

}  // namespace cox
