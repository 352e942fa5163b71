#include "controller/ledger/site_runs.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_variables.h"

namespace cox {
namespace {

// If the end of a run is not reported, as after a takeover, the run is requested again this long
// after its timeout.
constexpr Milliseconds ask_again_after{30'000};
constexpr int exit_code_bits = 8;  // number of bits of a wait status below the exit code

// Returns the launch of the attempt with what the environment variables of prolog_program and
// epilog_program are derived from.
LaunchSpec launch_of_site_run(const Cluster& cluster, const JobEntry& e, const Attempt& attempt) {
  LaunchSpec launch;
  launch.key = attempt.key;
  launch.spec = *e.job.spec;
  launch.spec.time_limit_s = e.time_limit_s();
  if (!attempt.partition.empty()) launch.spec.partition = attempt.partition;
  for (const AttemptNode& n : attempt.nodes) launch.nodes.push_back({n.grant, ""});
  launch.cluster_name = cluster.config().cluster_name;
  launch.restarts = e.job.restarts;
  launch.array_job = e.job.array_job;
  launch.array_task = e.job.array_task;
  return launch;
}

SiteRun run_of(const Cluster& cluster, const Attempt& attempt, SiteRun::What what,
               Variables extra) {
  const JobEntry& e = *cluster.job(attempt.key.job);
  const LaunchSpec launch = launch_of_site_run(cluster, e, attempt);
  GoOrder go;
  go.started = attempt.went == Wall{} ? attempt.began : attempt.went;
  Variables v = std::move(extra);
  set_job(v, launch, go, "");
  set_array(v, launch);
  set_for_site(v, launch);
  v["SLURM_SCRIPT_CONTEXT"] =
      what == SiteRun::What::Prolog ? "prolog_slurmctld" : "epilog_slurmctld";
  return {what, attempt.key, entries_of(v)};
}

}  // namespace

bool awaits_prolog(const Cluster& cluster, const JobEntry& entry) {
  const Attempt* attempt = entry.live_attempt();
  if (cluster.config().prolog_program.empty() || attempt == nullptr) return false;
  const auto has_reported = [](const AttemptNode& node) { return node.revision > 0; };
  return cluster.soft().job(entry.job.id).launch != JobContact::Launch::Sent &&
         attempt->went == Wall{} && attempt->stop.why == StopWhy::None &&
         std::ranges::none_of(attempt->nodes, has_reported);
}

bool is_unsent(const Cluster& cluster, const Attempt& attempt) {
  const JobEntry* entry = cluster.job(attempt.key.job);
  const Attempt* live = entry == nullptr ? nullptr : entry->live_attempt();
  return live != nullptr && live->key == attempt.key &&
         cluster.soft().job(entry->job.id).launch == JobContact::Launch::AwaitsProlog;
}

void ask_for_prolog(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Milliseconds wait = r.cluster().config().prolog_epilog_timeout + ask_again_after;
  Boot& asked = r.soft_state().edit(id).prolog_asked;
  if (asked != Boot{} && r.now().boot < asked + wait) return;
  asked = r.now().boot;
  r.site_runs.push_back(run_of(r.cluster(), *e.live_attempt(), SiteRun::What::Prolog, {}));
}

void ask_for_epilog(Reaction& r, const Attempt& attempt, const Outcome& outcome) {
  if (r.cluster().config().epilog_program.empty()) return;
  std::int32_t derived = 0;
  for (const Step& step : r.cluster().job(attempt.key.job)->steps)
    derived = std::max(derived, step.exit_code);
  Variables v;
  v["SLURM_JOB_DERIVED_EC"] = std::to_string(derived);
  v["SLURM_JOB_EXIT_CODE"] =
      std::to_string((outcome.exit_code << exit_code_bits) + outcome.exit_signal);
  v["SLURM_JOB_EXIT_CODE2"] =
      std::to_string(outcome.exit_code) + ":" + std::to_string(outcome.exit_signal);
  r.site_runs.push_back(run_of(r.cluster(), attempt, SiteRun::What::Epilog, std::move(v)));
}

}  // namespace cox
