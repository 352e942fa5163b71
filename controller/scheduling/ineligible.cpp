#include "controller/scheduling/ineligible.h"

#include "common/base/hostlist.h"
#include "common/base/moment_text.h"
#include "common/job/job_ref.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/partition_choice.h"
#include "controller/attempt/react_recovery.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/limits/hours.h"
#include "controller/state/engine_input.h"
#include "controller/state/save_time.h"

namespace cox {
namespace {

// Where every job that it waits for runs, and has a time limit: the end of the last.
std::string ended_by_text(const Cluster& cluster, const Job& job, Now now) {
  Boot last = now.boot;
  for (const Dependency& term : job.dependencies) {
    const bool of_end = term.kind == DependencyKind::AfterAny ||
                        term.kind == DependencyKind::AfterOk ||
                        term.kind == DependencyKind::AfterNotOk;
    const JobEntry* awaited = cluster.job(term.on);
    const auto end = awaited == nullptr ? std::nullopt : latest_end(cluster, *awaited);
    if (!of_end || !end || cluster.arrays().contains(term.on)) return "";
    last = std::max(last, *end);
  }
  return "; time limits end what it waits for by " + moment_text(now.wall + (last - now.boot));
}

// What it waited for may be forgotten; the words were kept when it was known.
Ineligible by_dependencies(const Cluster& cluster, const Job& job, Now now) {
  if (!is_hopeless(job))
    return {WaitReason::Dependency,
            dependencies_text(cluster, job) + ended_by_text(cluster, job, now), ""};
  const JobWait* told = cluster.wait_of(job.id);
  return in_vain(job, is_told_in_vain(told) ? told->detail : dependencies_text(cluster, job));
}

// "`cox release 17_[4-9]` frees it"; of a row with too many tasks to name all, of the first of them
std::string advice_text(const std::string& verb, const Job& job, const std::string& does) {
  const std::string command = "`cox " + verb + " " + told_id(job) + "` " + does;
  if (is_told_whole(job)) return command + " it";
  return command + " one of its " + std::to_string(task_count(job)) +
         " tasks, and likewise each of the others";
}

// A job whose source is damaged would be held again as soon as it is released.
Ineligible held_by_controller(const Job& job) {
  return {WaitReason::JobHoldMaxRequeue, job.held_why,
          is_held_for_source(job) ? advice_text("cancel", job, "ends")
                                  : advice_text("release", job, "frees")};
}

void add_partitions(Ineligible& why, const Cluster& cluster, const JobSpec& spec, Wall at) {
  for (const PartitionConfig* one : partitions_of(cluster.config(), spec.partition)) {
    const Partition& now = cluster.partition(one->name);
    const bool open = cluster.is_open(*one);
    const bool closed = starts_jobs(now.state) && !open;
    if (why.reason == WaitReason::None) why.reason = bar_of(*one, now.state, open, spec);
    why.detail += (why.detail.empty() ? "" : "; ") +
                  (closed ? closed_text(cluster.config(), *one, at) : bar_text(*one, now, spec));
    if (closed) {
      const Wall opens = opens_at(cluster.config(), *one, at);
      why.until = std::min(opens, why.until.value_or(opens));
    }
    if (why.advice.empty() && !starts_jobs(now.state))
      why.advice = "`cox partition up " + one->name + "` opens it again";
  }
}

// Of a heterogeneous job those of the components that are kept out.
Ineligible by_partitions(const Cluster& cluster, const JobSpec& spec, Wall at) {
  Ineligible why;
  for (std::int64_t i = 0; i < component_count(spec); ++i)
    if (const JobSpec part = component_spec(spec, i); cluster.keeps_out(part))
      add_partitions(why, cluster, part, at);
  return why;
}

// Whoever would do but for that: nothing starts yet.
Ineligible by_failover(const Cluster& cluster, const Failover& failover, Now now) {
  const std::string what = "the database may have lost its newest moments (found at " +
                           moment_text(failover.found) +
                           "): nothing starts until each node has told what it runs";
  const auto silent = nodes_yet_to_tell(cluster, now.boot);
  if (silent.empty()) return {WaitReason::ReqNodeNotAvail, what, ""};
  return {WaitReason::ReqNodeNotAvail, what + "; not heard yet: " + compress_hostlist(silent),
          "no longer than until their lease has passed; `SELECT * FROM cox.failover`"};
}

}  // namespace

std::string too_late_text(const JobSpec& spec, Wall expected) {
  if (spec.deadline == Wall{} || expected <= latest_start(spec)) return "";
  return "it would start at " + moment_text(expected) +
         " as things stand, too late to end by its deadline: at " +
         moment_text(latest_start(spec)) + " it ends as DEADLINE, unless it starts sooner";
}

std::string told_text(const Ineligible& why) {
  return why.detail + (why.advice.empty() ? "" : "; " + why.advice);
}

Ineligible in_vain(const Job& job, std::string detail) {
  const std::string advice = is_told_whole(job)
                                 ? "`cox cancel " + told_id(job) + "`, and submit it"
                                 : advice_text("cancel", job, "ends") + "; submit them";
  return {WaitReason::DependencyNeverSatisfied, std::move(detail), advice + " anew"};
}

std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now) {
  if (job.state != JobState::Pending) return std::nullopt;
  if (job.held && !job.held_why.empty()) return held_by_controller(job);
  if (job.held)
    return Ineligible{WaitReason::JobHeldUser, "held by a person",
                      "`cox history " + told_id(job) + "` tells who and when, " +
                          advice_text("release", job, "frees")};
  if (!job.dependencies.empty()) return by_dependencies(cluster, job, now);
  if (job.eligible > now.wall) {
    const std::string delay = delay_text(cluster, job);
    return Ineligible{
        WaitReason::BeginTime,
        "begins not before " + moment_text(job.eligible) + (delay.empty() ? "" : ": " + delay), "",
        job.eligible};
  }
  if (cluster.keeps_out(*job.spec)) return by_partitions(cluster, *job.spec, now.wall);
  if (cluster.failover() != nullptr) return by_failover(cluster, *cluster.failover(), now);
  return std::nullopt;
}

}  // namespace cox
