#include "controller/ineligible.h"

#include "common/moment_text.h"
#include "controller/dependencies.h"

namespace cox {
namespace {

Ineligible by_dependencies(const Cluster& cluster, const Job& job) {
  Ineligible why{WaitReason::Dependency, dependencies_text(cluster, job), ""};
  if (!is_hopeless(job)) return why;
  why.reason = WaitReason::DependencyNeverSatisfied;
  why.advice = "`cox cancel " + std::to_string(job.id.value) + "`, and submit it anew";
  return why;
}

}  // namespace

std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now) {
  if (job.state != JobState::Pending) return std::nullopt;
  if (job.held)
    return Ineligible{WaitReason::JobHeldUser, "held by a person",
                      "`cox release " + std::to_string(job.id.value) + "` frees it"};
  if (!job.dependencies.empty()) return by_dependencies(cluster, job);
  if (job.eligible > now.wall)
    return Ineligible{WaitReason::BeginTime, "begins not before " + moment_text(job.eligible), ""};
  return std::nullopt;
}

}  // namespace cox
