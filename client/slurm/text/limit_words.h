// Slurm's texts for a job that a limit of its QOS, account or partition refuses. Pure.
#pragma once

#include <string>
#include <string_view>

namespace cox {

inline constexpr const char* policy_violated =
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)";

// Returns Slurm's reason code of the limit that the fact of a refusal names, such as
// "QOSMaxCpuPerJobLimit". Empty: the fact names no limit that has a code in Slurm.
std::string limit_reason(std::string_view fact);

// Returns whether the fact says that a limit, a quota or kept room of a QOS or an account refuses
// the job.
bool is_policy_violation(std::string_view fact);

}  // namespace cox
