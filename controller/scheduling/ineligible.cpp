#include "controller/scheduling/ineligible.h"

#include "common/base/hostlist.h"
#include "common/base/moment_text.h"
#include "common/job/job_ref.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/partition_choice.h"
#include "controller/attempt/react_recovery.h"
#include "controller/feed/engine_input.h"
#include "controller/feed/save_time.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/resume.h"
#include "controller/limits/hours.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

// Returns, as text, when all jobs that this job depends on have ended at the latest; "" unless all
// of them run and have a time limit. A job that may be requeued has that limit for each attempt.
std::string ended_by_text(const Cluster& cluster, const Job& job, Now now) {
  Boot last = now.boot;
  bool may_run_again = false;
  for (const Dependency& term : job.dependencies) {
    const bool of_end = term.kind == DependencyKind::AfterAny ||
                        term.kind == DependencyKind::AfterOk ||
                        term.kind == DependencyKind::AfterNotOk;
    const JobEntry* awaited = cluster.job(term.on);
    const auto end = awaited == nullptr ? std::nullopt : latest_end(cluster, *awaited);
    if (!of_end || !end || cluster.jobs().arrays().contains(term.on)) return "";
    last = std::max(last, *end);
    may_run_again = may_run_again || awaited->job.spec->requeue;
  }
  const bool is_one = job.dependencies.size() == 1;
  const char* attempts =
      is_one ? "; its present attempt ends by " : "; their present attempts end by ";
  const char* jobs = is_one ? "; it ends by " : "; they end by ";
  return std::string(may_run_again ? attempts : jobs) + moment_text(now.wall + (last - now.boot)) +
         " at the latest";
}

// If the dependencies can never be met, the jobs that they name may have left memory, so the stored
// text is used.
Ineligible by_dependencies(const Cluster& cluster, const Job& job, Now now) {
  if (!is_hopeless(job))
    return {WaitReason::Dependency,
            dependencies_text(cluster, job) + ended_by_text(cluster, job, now), ""};
  const JobWait* stored = cluster.waits().of(job.id);
  return never_satisfied(
      job, is_never_satisfied(stored) ? stored->detail : dependencies_text(cluster, job));
}

// Returns what a command would do: "`cox release 17_[4-9]` releases it". If the row has too many
// tasks to name, the command names the first of them.
std::string advice_text(const std::string& verb, const Job& job, const std::string& does) {
  const std::string command = "`cox " + verb + " " + command_id(job) + "` " + does;
  if (names_all_tasks(job)) return command + " it";
  return command + " one of its " + std::to_string(task_count(job)) +
         " tasks, and likewise each of the others";
}

// A release that would be refused is not advised.
Ineligible held_by_controller(const Cluster& cluster, const JobEntry& e) {
  const Job& job = e.job;
  if (is_held_for_unread(job)) return {WaitReason::JobHoldMaxRequeue, job.held_why, ""};
  return {WaitReason::JobHoldMaxRequeue, job.held_why,
          check_release(cluster, e) ? advice_text("cancel", job, "ends")
                                    : advice_text("release", job, "releases")};
}

void add_partitions(Ineligible& why, const Cluster& cluster, const ParsedSpec& spec, Wall at) {
  for (const PartitionConfig* one : partitions_of(cluster.config(), spec.terms->partitions)) {
    const Partition& now = cluster.partitions().row(one->name);
    const bool open = cluster.partitions().is_open(*one);
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

// Explains the partitions that keep the job out: for a heterogeneous job, those of each component
// that is kept out.
Ineligible by_partitions(const Cluster& cluster, const ParsedSpec& spec, Wall at) {
  Ineligible why;
  for (std::int64_t i = 0; i < component_count(spec); ++i)
    if (const ParsedSpec part = component_spec(spec, i); cluster.partitions().is_closed_to(part))
      add_partitions(why, cluster, part, at);
  return why;
}

// Explains that no job starts until the failover is settled. The detail has no subject yet.
Ineligible about_failover(const Cluster& cluster, const Failover& failover, Now now) {
  const std::string what = "may have lost its newest changes (found at " +
                           moment_text(failover.found) +
                           "): no job starts until each node has reported what it runs";
  const auto silent = nodes_yet_to_report(cluster, now.boot);
  if (silent.empty()) return {WaitReason::ReqNodeNotAvail, what, ""};
  const bool lease_ends = cluster.config().lease != Milliseconds{0};
  return {
      WaitReason::ReqNodeNotAvail, what + "; no report yet from " + compress_hostlist(silent),
      std::string(lease_ends ? "jobs start when the leases of these nodes have ended, at the latest"
                             : "drain these nodes once no job runs on them, so that jobs start") +
          "; see `SELECT * FROM cox.failover`"};
}

Ineligible by_failover(const Cluster& cluster, const Failover& failover, Now now) {
  Ineligible why = about_failover(cluster, failover, now);
  why.detail = "the database " + why.detail;
  return why;
}

}  // namespace

std::string failover_wait_text(const Cluster& cluster, Now now) {
  const Failover* failover = cluster.failover();
  return failover == nullptr ? "" : ineligible_text(about_failover(cluster, *failover, now));
}

std::string too_late_text(const JobSpec& spec, Wall expected) {
  if (spec.deadline == Wall{} || expected <= latest_start(spec)) return "";
  return "it would start at " + moment_text(expected) +
         " as things stand, too late to end by its deadline: at " +
         moment_text(latest_start(spec)) + " it ends as DEADLINE, unless it starts sooner";
}

std::string ineligible_text(const Ineligible& why) {
  return why.detail + (why.advice.empty() ? "" : "; " + why.advice);
}

Ineligible never_satisfied(const Job& job, std::string detail) {
  const std::string advice = names_all_tasks(job)
                                 ? "`cox cancel " + command_id(job) + "`, and submit it again"
                                 : advice_text("cancel", job, "ends") + "; submit them again";
  return {WaitReason::DependencyNeverSatisfied, std::move(detail), advice};
}

std::optional<Ineligible> why_ineligible(const Cluster& cluster, const Job& job, Now now) {
  if (job.state != JobState::Pending) return std::nullopt;
  if (job.held && !job.held_why.empty()) return held_by_controller(cluster, *cluster.job(job.id));
  if (job.held)
    return Ineligible{WaitReason::JobHeldUser, "held by a user",
                      "`cox history " + command_id(job) + "` shows who and when; " +
                          advice_text("release", job, "releases")};
  if (!job.dependencies.empty()) return by_dependencies(cluster, job, now);
  if (const Wall begin = begins_at(job, now.wall); begin > now.wall) {
    const std::string delay = delay_text(cluster, job);
    return Ineligible{
        WaitReason::BeginTime,
        "does not start before " + moment_text(begin) + (delay.empty() ? "" : ": " + delay), "",
        begin};
  }
  if (cluster.partitions().is_closed_to(*job.spec))
    return by_partitions(cluster, *job.spec, now.wall);
  if (cluster.failover() != nullptr) return by_failover(cluster, *cluster.failover(), now);
  return std::nullopt;
}

}  // namespace cox
