#include "client/slurm/text/limit_words.h"

#include <algorithm>
#include <array>

namespace cox {
namespace {

// Slurm's reason codes of one limit, by resource. A limit that counts no resources has only the
// first.
struct LimitCodes {
  std::string_view limit;
  bool of_qos = false;
  std::string_view cpus{}, memory{}, nodes{}, gres{}, licences{};
};

constexpr auto limit_codes = std::to_array<LimitCodes>({
    {"MaxTRESPerJob", true, "QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxNodePerJobLimit",
     "QOSMaxGRESPerJob", "QOSMaxLicensePerJob"},
    {"MaxTRESPerUser", true, "QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser",
     "QOSMaxNodePerUserLimit", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser"},
    {"MinTRESPerJob", true, "QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinNode", "QOSMinGRES",
     "QOSMinLicense"},
    {"GrpTRES", true, "QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpNodeLimit", "QOSGrpGRES",
     "QOSGrpLicense"},
    {"GrpTRESMins", true, "QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpNodeMinutes",
     "QOSGrpGRESMinutes", "QOSGrpLicenseMinutes"},
    {"GrpWall", true, "QOSGrpWallLimit"},
    {"MaxWall", true, "QOSMaxWallDurationPerJobLimit"},
    {"GrpSubmitJobs", true, "QOSGrpSubmitJobsLimit"},
    {"MaxSubmitJobsPerUser", true, "QOSMaxSubmitJobPerUserLimit"},
    {"MaxTRES", false, "AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxNodePerJobLimit",
     "AssocMaxGRESPerJob", "AssocMaxLicensePerJob"},
    {"MaxTRESMins", false, "AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob",
     "AssocMaxNodeMinutesPerJobLimit", "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob"},
    {"GrpTRES", false, "AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpNodeLimit", "AssocGrpGRES",
     "AssocGrpLicense"},
    {"GrpTRESMins", false, "AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpNodeMinutes",
     "AssocGrpGRESMinutes", "AssocGrpLicenseMinutes"},
    {"GrpWall", false, "AssocGrpWallLimit"},
    {"MaxWall", false, "AssocMaxWallDurationPerJobLimit"},
    {"GrpSubmitJobs", false, "AssocGrpSubmitJobsLimit"},
    {"MaxSubmitJobs", false, "AssocMaxSubmitJobLimit"},
});

std::string_view code_of(const LimitCodes& codes, std::string_view amount) {
  if (codes.memory.empty()) return codes.cpus;
  const std::string_view resource = amount.substr(0, amount.find('='));
  if (resource == "cpu") return codes.cpus;
  if (resource == "mem") return codes.memory;
  if (resource == "node") return codes.nodes;
  if (resource.starts_with("gres/")) return codes.gres;
  if (resource.starts_with("license/")) return codes.licences;
  return "";
}

}  // namespace

// The fact is "[job 3 of 3: ]OWNER has LIMIT=AMOUNT, …". The owner is "QOS NAME", "account NAME" or
// "user NAME in account NAME".
std::string limit_reason(std::string_view fact) {
  constexpr std::string_view has = " has ";
  const std::size_t verb = fact.find(has);
  if (verb == std::string_view::npos) return "";
  std::string_view owner = fact.substr(0, verb);
  if (const std::size_t colon = owner.rfind(": "); colon != std::string_view::npos)
    owner.remove_prefix(colon + 2);
  const bool of_qos = owner.starts_with("QOS ");
  const std::string_view limit = fact.substr(verb + has.size());
  const std::size_t equals = limit.find('=');
  if (equals == std::string_view::npos) return "";
  const auto found = std::ranges::find_if(limit_codes, [&](const LimitCodes& one) {
    return one.of_qos == of_qos && one.limit == limit.substr(0, equals);
  });
  if (found == limit_codes.end()) return "";
  return std::string(code_of(*found, limit.substr(equals + 1)));
}

bool is_policy_violation(std::string_view fact) {
  const auto says = [&](std::string_view piece) { return fact.contains(piece); };
  return !limit_reason(fact).empty() || says(" are reserved for QOS ") ||
         (says(" deserves ") && says(", so they may use no more"));
}

}  // namespace cox
