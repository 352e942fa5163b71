#include "controller/ledger/reaction.h"

#include <set>

#include "common/base/check.h"
#include "common/job/job_ref.h"
#include "controller/state/usage.h"

namespace cox {

void Reaction::change(Change c) {
  cluster_.apply(c, now_);
  changes.push_back(std::move(c));
}

Job Reaction::row_to_change(JobId id) const {
  const JobEntry* entry = cluster_.job(id);
  CHECK(entry != nullptr);
  return entry->job;
}

void Reaction::add_job(Job job, Blob script, Blob environment, std::string why) {
  job.identity = job_identity(cluster_.identity_seed(), job.id);
  JobAdded added{std::move(job), std::nullopt, std::nullopt};
  if (!script.hash.empty()) added.script = std::move(script);
  if (!environment.hash.empty()) added.environment = std::move(environment);
  const JobId id = added.job.id;
  const std::string actor = "user " + added.job.spec->user_name;
  change(std::move(added));
  note(id, "state", std::move(why), actor);
  ask_for_scheduling();
}

void Reaction::end(JobId id, Trigger trigger, std::string why, std::string actor,
                   const std::function<void(Job&)>& edit) {
  Job job = row_to_change(id);
  edit(job);
  moved(std::move(job), trigger, std::move(why), std::move(actor));
}

void Reaction::moved(Job job, Trigger trigger, std::string why, std::string actor) {
  const Job before = row_to_change(job.id);
  const auto next = next_state(before.state, trigger);
  CHECK(next.has_value());
  job.state = *next;
  job.why = why;
  if (!is_final(*next)) job.ended = Wall{};
  if (is_final(*next) && job.ended == Wall{}) job.ended = moment_of(job.id);
  const JobId id = job.id;
  change(JobChanged{std::move(job), before.state, before.attempt});
  if (before.state == JobState::Pending) end_wait(cluster_.job(id)->job);
  note(id, "state", std::move(why), std::move(actor));
  ask_for_scheduling();
}

void Reaction::edited(Job job) {
  const Job before = row_to_change(job.id);
  CHECK(job.state == before.state);
  if (job == before) return;
  change(JobChanged{std::move(job), before.state, before.attempt});
}

void Reaction::respecify(JobId id, ParsedSpec spec) {
  Job job = row_to_change(id);
  if (*job.spec == spec) return;
  job.spec = cluster_.shared_spec(Shared<ParsedSpec>(std::move(spec)));
  change(JobRespecified{std::move(job)});
  ask_for_scheduling();
}

void Reaction::add(Attempt attempt) {
  change(AttemptAdded{std::move(attempt)});
}
void Reaction::put(Attempt attempt) {
  const JobEntry* entry = cluster_.job(attempt.key.job);
  for (AttemptNode& node : attempt.nodes) {
    if (holds_room(attempt, node) || node.given_back != Wall{}) continue;
    node.given_back = moment_of(attempt.key.job);
    ask_for_scheduling();
  }
  if (attempt.ended != Wall{} && entry != nullptr && entry->live_attempt() != nullptr)
    charge(attempt);
  change(AttemptChanged{std::move(attempt)});
}

// Charges what an ended attempt used to the job's association, if any, and to each QOS that binds
// the job. It runs in the turn that ends the attempt, so usage is charged exactly once.
void Reaction::charge(const Attempt& attempt) {
  const JobEntry& entry = *cluster_.job(attempt.key.job);
  const auto usage = usage_of(cluster_, attempt, attempt.ended, Milliseconds{0});
  const Milliseconds half_life = cluster_.config().usage.half_life;
  if (const Association* charged = cluster_.accounting().accounts().of(*entry.job.spec)) {
    Association changed = *charged;
    add_usage(changed, usage, attempt.ended, half_life);
    change(AssociationPut{std::move(changed)});
  }
  for (const Qos* qos : cluster_.accounting().qos_binding(entry)) {
    const auto known = cluster_.accounting().qos_usage().find(qos->name);
    QosUsage used = known == cluster_.accounting().qos_usage().end()
                        ? QosUsage{qos->name, {}, attempt.ended}
                        : known->second;
    add_usage(used.usage, used.at, usage, attempt.ended, half_life);
    change(QosUsed{std::move(used)});
  }
}

namespace {

// Returns whether the association has quotas. They change the fair shares of all other accounts.
bool has_quotas(const Association& one) {
  const AssociationLimits& limits = one.limits;
  return !limits.guarantee.empty() || !limits.deserved.empty();
}

}  // namespace

void Reaction::administer(std::vector<Change> asked) {
  std::set<std::string> accounts;
  for (const Change& one : asked) {
    if (const auto* put = std::get_if<AssociationPut>(&one)) {
      const Association* known = cluster_.accounting().accounts().at(put->association.id);
      const bool shares = has_quotas(put->association) || (known && has_quotas(*known));
      accounts.insert(shares ? std::string(root_account) : put->association.account);
    }
    if (const auto* gone = std::get_if<AssociationRemoved>(&one))
      if (const Association* known = cluster_.accounting().accounts().at(gone->id))
        accounts.insert(has_quotas(*known) ? std::string(root_account) : known->account);
  }
  const std::vector<JobId> limited = cluster_.accounting().jobs_of(accounts);
  for (Change& one : asked) change(std::move(one));
  if (!accounts.empty()) cluster_.limits_changed(limited);
  ask_for_scheduling();
}
void Reaction::add(Checkpoint checkpoint) {
  change(CheckpointAdded{std::move(checkpoint)});
}
void Reaction::put(Checkpoint checkpoint) {
  change(CheckpointChanged{std::move(checkpoint)});
}
void Reaction::put(JobWait wait) {
  change(WaitPut{std::move(wait)});
}

void Reaction::put(AdvanceReservation reservation, std::string what, std::string actor) {
  reservation.changed = now_.wall;
  reservation.changed_by = std::move(actor);
  change(ReservationPut{std::move(reservation), std::move(what)});
  ask_for_scheduling();
}

void Reaction::remove_reservation(const std::string& name, std::string what, std::string actor) {
  change(ReservationRemoved{name, std::move(what), std::move(actor), now_.wall});
  ask_for_scheduling();
}

// Removes the stored pending reason of a job that leaves PENDING. If the job starts, compares its
// first expected start with the true one. REQUIRES: `job` is the current row.
void Reaction::end_wait(const Job& job) {
  const JobWait* wait = cluster_.waits().of(job.id);
  if (wait == nullptr) return;
  // A row that stands for several tasks has an estimate for the first of them alone.
  const bool starts = job.state == JobState::Configuring && !is_of_array(job);
  if (starts && wait->first_estimate != Wall{})
    change(EstimateResolved{
        {job.id, job.attempt, wait->first_estimate, now_.wall, wait->first_estimate_made}});
  change(WaitRemoved{job.id});
}

void Reaction::forget(JobId id) {
  change(JobForgotten{id});
}

void Reaction::put(Node node) {
  node.changed = now_.wall;
  change(NodeChanged{std::move(node)});
  ask_for_scheduling();
}

void Reaction::put(Partition partition) {
  partition.changed = now_.wall;
  change(PartitionChanged{std::move(partition)});
  ask_for_scheduling();
}

void Reaction::put(EventTrigger trigger) {
  change(EventTriggerPut{std::move(trigger)});
}

void Reaction::remove_trigger(EventTriggerId id) {
  change(EventTriggerRemoved{id});
}

void Reaction::remove_partition(const std::string& name) {
  change(PartitionRemoved{name});
  ask_for_scheduling();
}

void Reaction::put(Crontab crontab) {
  crontab.changed = now_.wall;
  change(CrontabPut{std::move(crontab)});
}

void Reaction::put(CronLine line) {
  change(CronLinePut{std::move(line)});
}

void Reaction::remove_crontab(std::uint32_t uid) {
  change(CrontabRemoved{uid});
}

void Reaction::remove_cron_line(const CronLine& line) {
  change(CronLineRemoved{key_of(line)});
}

void Reaction::put(Failover failover) {
  change(FailoverChanged{std::move(failover)});
}

void Reaction::put(Step step) {
  change(StepPut{std::move(step)});
}

void Reaction::note_node(const std::string& node, std::string what, std::string why,
                         std::string actor) {
  change(NodeEventAdded{{node, now_.wall, std::move(what), std::move(why), std::move(actor)}});
}

void Reaction::note(JobId id, std::string what, std::string why, std::string actor) {
  const Job& job = cluster_.job(id)->job;
  change(EventAdded{{id, job.attempt, moment_of(id), std::move(what), job.state, std::move(why),
                     std::move(actor), 0}});
}

void Reaction::send(const PeerName& peer, Message message) {
  if (!peer.empty()) outgoing.push_back({peer, std::move(message), {}});
}

void Reaction::send_to_node(const std::string& node, Message message) {
  send(cluster_.soft().contact(node).peer, std::move(message));
}

void Reaction::reply_with_text(const PeerName& peer, std::int64_t number, std::string hash) {
  if (!peer.empty()) outgoing.push_back({peer, Reply{number, Script{}}, std::move(hash)});
}

void Reaction::reply(const PeerName& peer, std::int64_t number, decltype(Reply::body) body) {
  send(peer, Reply{number, std::move(body)});
}

}  // namespace cox
