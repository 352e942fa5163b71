// Lists and ends steps of srun, and sends signals to the running processes of jobs.
#include <signal.h>

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/answer/answer.h"
#include "controller/attempt/steps.h"
#include "controller/ledger/authorisation.h"
#include "controller/operate/act.h"

namespace cox {
namespace {

constexpr std::int32_t signal_max = 64;
// A job that has run for less than this may not have started its first srun step. A signal to its
// steps then finds none, and scancel sends it again later. In Slurm such a job is still pending.
constexpr Milliseconds first_step_wait{5'000};

Acted::Outcome done(std::string what, std::string text) {
  return {std::move(what), std::move(text), std::nullopt};
}

Acted::Outcome refuse(std::string what, std::string fact, std::string hint = "") {
  return {std::move(what), "", Refusal{std::move(fact), std::move(hint)}};
}

Acted::Outcome end_step(Reaction& r, const Step& known, const std::string& what) {
  if (is_final(known.state))
    return done(what, "had already ended: " + std::string(name(known.state)));
  Step step = known;
  step.stopping = true;
  if (step.state == JobState::Pending) {
    step.state = JobState::Cancelled;
    step.ended = r.moment_of(step.key.attempt.job);
    step.why = "cancelled";
    r.put(std::move(step));
    return done(what, "cancelled");
  }
  r.put(step);
  send_stop(r, step);
  return done(what, "being cancelled");
}

bool waits_for_first_step(const JobEntry& entry, const Attempt& live, const SignalJobs& ask,
                          Now now) {
  const bool only_steps = ask.to_steps && !ask.to_batch && ask.step < 0;
  const bool may_start_steps = entry.job.spec->form != JobForm::Gang;
  // Time since the job began; negative if the clock was set back.
  const auto age = now.wall - live.went;
  const bool is_young = age >= Milliseconds{0} && age < first_step_wait;
  return only_steps && may_start_steps && entry.steps.empty() && is_young;
}

// Refuses to say that a signal was sent: it is not repeated, and these nodes may not get it.
Acted::Outcome not_known_to_arrive(std::int32_t signal, const std::vector<std::string>& silent,
                                   const std::string& what) {
  const bool is_one = silent.size() == 1;
  return refuse(what,
                "whether signal " + std::to_string(signal) + " arrives on " + joined(silent, ", ") +
                    " is not known: the node" + (is_one ? " does" : "s do") + " not respond",
                std::string("send it again when ") + (is_one ? "it responds" : "they respond") +
                    "; `cox nodes` shows that");
}

// Returns why no process of the job can get the signal.
std::optional<Acted::Outcome> check_signal(const Reaction& r, const JobEntry& entry,
                                           const SignalJobs& ask, const std::string& what) {
  const Attempt* live = entry.live_attempt();
  if (live == nullptr || live->went == Wall{}) {
    const JobState state = entry.job.state;
    const bool will_run = state == JobState::Pending || state == JobState::Configuring;
    const std::string kind = will_run ? std::string(job_is_pending) + ": " : "";
    return refuse(what, kind + "job " + what + " does not run",
                  "only running jobs can get signals");
  }
  if (waits_for_first_step(entry, *live, ask, r.now()))
    return refuse(what, std::string(job_is_pending) + ": job " + what + " has no step yet",
                  "signals go to steps; `scancel --batch` signals the script");
  return std::nullopt;
}

// Returns whether a process that is to get the signal may run on the node.
bool may_have_target(const JobEntry& entry, const SignalJobs& ask, const std::string& node) {
  if (entry.job.spec->form == JobForm::Gang && ask.step < 0) return true;
  const bool is_first = entry.live_attempt()->nodes.front().grant.node == node;
  if (ask.to_batch && ask.step < 0 && is_first) return true;
  return ask.to_steps && std::ranges::any_of(entry.steps, [&](const Step& step) {
           const bool is_meant = ask.step < 0 || step.key.number == ask.step;
           return is_meant && !is_final(step.state) &&
                  std::ranges::find(step.nodes, node, &StepNode::node) != step.nodes.end();
         });
}

// Returns the nodes that may have a target and have not reported since this controller began to
// lead. It cannot reach them yet. A node that was silent before does not count: it may never
// report.
std::vector<std::string> unheard_nodes(const Reaction& r, const JobEntry& entry,
                                       const SignalJobs& ask) {
  std::vector<std::string> unheard;
  for (const AttemptNode& node : entry.live_attempt()->nodes) {
    const std::string& name = node.grant.node;
    const Node* known = r.cluster().node(name);
    const bool is_expected = node.phase != NodePhase::Gone && known != nullptr && known->responding;
    if (is_expected && r.cluster().soft().contact(name).peer.empty() &&
        may_have_target(entry, ask, name))
      unheard.push_back(name);
  }
  return unheard;
}

// Sends the signal to all nodes of the job. Returns those that do not respond, and on which it may
// have a target. REQUIRES: check_signal() accepts it.
std::vector<std::string> send_signal(Reaction& r, const JobEntry& entry, const SignalJobs& ask) {
  const Attempt& live = *entry.live_attempt();
  // Under Slurm, the ranks of a gang would be the tasks of step 0.
  const bool is_gang = entry.job.spec->form == JobForm::Gang;
  const bool to_ranks = ask.to_batch || (is_gang && ask.to_steps && ask.step < 0);
  std::vector<std::string> silent;
  for (const AttemptNode& node : live.nodes) {
    const std::string& name = node.grant.node;
    if (node.phase == NodePhase::Gone) continue;
    const Node* known = r.cluster().node(name);
    const bool responds = known != nullptr && known->responding;
    if (!responds && may_have_target(entry, ask, name)) silent.push_back(name);
    r.send_to_node(name, SignalAttempt{r.cluster().term(), live.key, ask.signal, ask.step,
                                       ask.to_steps, to_ranks, ask.to_children});
  }
  return silent;
}

Acted::Outcome signal_job(Reaction& r, const JobEntry& entry, const SignalJobs& ask,
                          const std::string& what) {
  if (auto refused = check_signal(r, entry, ask, what)) return *std::move(refused);
  if (const auto unheard = unheard_nodes(r, entry, ask); !unheard.empty())
    return refuse(what, std::string(node_is_unheard) + ": " + joined(unheard, ", "),
                  "send it again in some seconds");
  const std::vector<std::string> silent = send_signal(r, entry, ask);
  if (!silent.empty()) return not_known_to_arrive(ask.signal, silent, what);
  return done(what, "sent signal " + std::to_string(ask.signal));
}

Acted::Outcome act_on(Reaction& r, const Caller& caller, const SignalJobs& ask, JobId id) {
  const JobEntry& entry = *r.cluster().job(id);
  std::string what = shown_id(entry.job);
  if (!may_act_on(r.cluster(), caller, entry.job))
    return refuse(what, "job " + what + " belongs to " + entry.job.spec->user_name);
  if (ask.step < 0) return signal_job(r, entry, ask, what);
  const Step* step = entry.step(ask.step);
  what += "." + std::to_string(ask.step);
  if (step == nullptr) return refuse(what, "there is no step " + what);
  const bool ended = is_final(step->state);
  if (ask.signal == 0 || (ask.signal == SIGKILL && ended)) return end_step(r, *step, what);
  if (ended) return refuse(what, "step " + what + " has ended");
  if (ask.signal != SIGKILL) return signal_job(r, entry, ask, what);
  if (auto refused = check_signal(r, entry, ask, what)) return *std::move(refused);
  // SIGKILL ends the step as cancelled, as in Slurm. The order to stop is repeated, so nothing is
  // lost on a silent node. On the others it follows the signal on the same way, so that its SIGTERM
  // ends no task.
  send_signal(r, entry, ask);
  return end_step(r, *step, what);
}

Acted refuse_all(std::string fact, std::string hint) {
  return {{refuse("", std::move(fact), std::move(hint))}};
}

}  // namespace

Acted signal_jobs(Reaction& r, const Caller& caller, const SignalJobs& ask) {
  if (ask.ids.size() > limits::request_ids_max)
    return refuse_all(
        "more than " + std::to_string(limits::request_ids_max) + " jobs in one request",
        "name fewer at a time");
  if (ask.signal < 0 || ask.signal > signal_max || (ask.signal == 0 && ask.step < 0))
    return refuse_all("there is no signal " + std::to_string(ask.signal), "");
  Acted acted;
  for (std::size_t i = 0; i < ask.ids.size(); ++i) {
    const std::string tasks = i < ask.tasks.size() ? ask.tasks[i] : "";
    const auto rows = selected_rows(r.cluster(), ask.ids[i], tasks);
    if (rows.empty())
      acted.outcomes.push_back(
          refuse(std::to_string(ask.ids[i].value), "Invalid job id specified"));
    for (const JobId row : rows) acted.outcomes.push_back(act_on(r, caller, ask, row));
  }
  return acted;
}

StepList list_steps(const Cluster& cluster, const ListSteps& ask, Now now) {
  std::set<JobId> jobs;
  for (std::size_t i = 0; i < ask.ids.size(); ++i)
    jobs.merge(selected_rows(cluster, ask.ids[i], i < ask.tasks.size() ? ask.tasks[i] : ""));
  if (ask.ids.empty())
    for (const JobId id : cluster.jobs().live()) jobs.insert(id);
  StepList list;
  for (auto id = jobs.lower_bound(ask.after.attempt.job); id != jobs.end(); ++id) {
    const JobEntry& entry = *cluster.job(*id);
    if (!ask.user_name.empty() && entry.job.spec->user_name != ask.user_name) continue;
    for (const Step& step : entry.steps) {
      if (step.key <= ask.after || (is_final(step.state) && !ask.ended)) continue;
      list.more = list.steps.size() == limits::page_rows_max;
      if (list.more) return list;
      list.steps.push_back(step_shown(cluster, entry, step, now).view);
    }
  }
  return list;
}

}  // namespace cox
