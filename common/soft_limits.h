// Soft resource limits (setrlimit) that go from where a job is submitted to what it starts, as in
// Slurm. They travel in the environment, as SLURM_RLIMIT_CORE=VALUE and so on: sbatch and srun add
// the variables, and each node takes them out again before it starts a process. Hard limits do not
// travel: a process has those that its node gives it. Pure; for the client and the worker.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace cox {

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

struct SoftLimit {
  std::string name;         // "CORE" of RLIMIT_CORE
  std::uint64_t value = 0;  // in the kernel's unit: bytes, seconds or a number
  bool is_asked = false;    // by --propagate: the user is told if it cannot be set

  bool operator==(const SoftLimit&) const = default;
};

// Those of `own` that --propagate names: ALL, NONE, or names behind commas, with or without
// "RLIMIT_" before them. `asked` empty: the option was not given; then all but MEMLOCK go along,
// since a login host often has a lower one than programs with RDMA need.
Result<std::vector<SoftLimit>> propagated_limits(std::string_view asked,
                                                 const std::vector<SoftLimit>& own);

// The variables, "NAME=value\0" each.
std::string soft_limit_variables(const std::vector<SoftLimit>& limits);

// Takes the variables out of the environment (NAME=value each). A value that is no number is
// dropped.
std::vector<SoftLimit> take_soft_limits(std::vector<std::string>& environment);

}  // namespace cox
