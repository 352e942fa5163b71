#include "controller/ineligible.h"

#include "common/job_ref.h"
#include "common/moment_text.h"
#include "controller/dependencies.h"
#include "controller/hours.h"

namespace cox {
namespace {

Ineligible by_dependencies(const Cluster& cluster, const Job& job) {
  Ineligible why{WaitReason::Dependency, dependencies_text(cluster, job), ""};
  if (!is_hopeless(job)) return why;
  why.reason = WaitReason::DependencyNeverSatisfied;
  why.advice = "`cox cancel " + told_id(job) + "`, and submit it anew";
  return why;
}

Ineligible by_partitions(const Cluster& cluster, const JobSpec& spec, Wall at) {
  Ineligible why;
  for (const PartitionConfig* one : partitions_of(cluster.config(), spec.partition)) {
    const Partition& now = cluster.partition(one->name);
    const bool open = cluster.is_open(*one);
    const bool closed = starts_jobs(now.state) && !open;
    if (why.reason == WaitReason::None) why.reason = bar_of(*one, now.state, open, spec);
    why.detail += (why.detail.empty() ? "" : "; ") +
                  (closed ? closed_text(cluster.config(), *one, at) : bar_text(*one, now, spec));
    if (why.advice.empty() && !starts_jobs(now.state))
      why.advice = "`cox partition up " + one->name + "` opens it again";
  }
  return why;
}

}  // namespace

std::string told_text(const Ineligible& why) {
  return why.detail + (why.advice.empty() ? "" : "; " + why.advice);
}

std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now) {
  if (job.state != JobState::Pending) return std::nullopt;
  if (job.held)
    return Ineligible{WaitReason::JobHeldUser, "held by a person",
                      "`cox history " + told_id(job) + "` tells who and when, `cox release " +
                          told_id(job) + "` frees it"};
  if (!job.dependencies.empty()) return by_dependencies(cluster, job);
  if (job.eligible > now.wall) {
    const std::string delay = delay_text(cluster, job);
    return Ineligible{
        WaitReason::BeginTime,
        "begins not before " + moment_text(job.eligible) + (delay.empty() ? "" : ": " + delay), ""};
  }
  if (cluster.keeps_out(*job.spec)) return by_partitions(cluster, *job.spec, now.wall);
  return std::nullopt;
}

}  // namespace cox
