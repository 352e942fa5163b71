// Applies each change to the parts of the cluster's memory, and marks it for the scheduling engine.
#include <algorithm>

#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {
namespace {

// Returns whether the jobs differ at most in the tasks of the array that they stand for.
bool is_the_same_but_for_tasks(Job before, const Job& after) {
  before.array_task = after.array_task;
  before.array_tasks = after.array_tasks;
  return before == after;
}

void put_newest_last(std::vector<Checkpoint>& checkpoints) {
  std::ranges::sort(checkpoints, {},
                    [](const Checkpoint& c) { return std::pair(c.step, c.key.attempt); });
}

}  // namespace

void Cluster::apply(const Change& change, Now now) {
  std::visit([&](const auto& c) { apply_one(c, now); }, change);
}

// ---- jobs

void Cluster::apply_one(const JobAdded& change, Now now) {
  JobEntry& e = jobs_.add(change.job);
  touch(e);
  dirty_.asked.push_back(e.job.id);
  dirty_.mark(e.job.id);
  eligibility_.index_moments(e, now);
  index(e);
}

void Cluster::apply_one(const JobChanged& change, Now now) {
  JobEntry& e = jobs_.entry(change.job.id);
  CHECK(e.job.state == change.state_left && e.job.attempt == change.attempt_left);
  // Only JobRespecified changes the specification; the store does not write it with other changes.
  CHECK(e.job.spec.is(change.job.spec));
  const bool moved = e.job.state != change.job.state;
  for (const JobId id : jobs_.others_limited_by(e.job, change.job)) dirty_.mark(id);
  // If an array's row only loses tasks, it keeps its queue position: a pass may be in the middle of
  // its tasks.
  const bool stays = e.is_eligible() && is_the_same_but_for_tasks(e.job, change.job);
  dirty_.mark(e.job.id, stays             ? Dirty::Way::Copies
                        : e.is_eligible() ? Dirty::Way::LosesClaim
                                          : Dirty::Way::KeepsClaim);
  e.job = change.job;
  touch(e);
  if (!stays) eligibility_.index_moments(e, now);
  index(e);
  if (!moved) return;
  soft_.forget_pending_reason(e.job.id);
  if (!is_live(e.job.state)) soft_.forget(e.job.id);
  deadlines_.move(e, change.state_left, now);
}

// Updates everything that depends on the job's specification.
void Cluster::apply_one(const JobRespecified& change, Now now) {
  JobEntry& e = jobs_.entry(change.job.id);
  CHECK(e.job.state == change.job.state && e.job.attempt == change.job.attempt);
  dirty_.mark(e.job.id, Dirty::Way::LosesClaim);
  dirty_.asked.push_back(e.job.id);
  dirty_.fair_shares = true;
  count(e, 0);
  eligibility_.forget_spec(e);
  checkpoints_.forget(e.job);
  e.job.spec = change.job.spec;
  touch(e);
  soft_.forget_pending_reason(e.job.id);
  eligibility_.index_moments(e, now);
  index(e);
  deadlines_.respecify(e);
}

void Cluster::apply_one(const JobForgotten& change, Now) {
  const JobEntry& e = jobs_.entry(change.id);
  soft_.forget(change.id);
  soft_.waited_for_limit.erase(change.id);
  // The files of the job's checkpoints still exist.
  for (const Checkpoint& c : e.checkpoints) checkpoints_.keep(e, c);
  if (is_first_of_array(e.job)) accounting_.forget_array(change.id);
  jobs_.forget(change.id);
}

void Cluster::apply_one(const AttemptAdded& change, Now) {
  has_attempts_ = true;
  JobEntry& e = jobs_.entry(change.attempt.key.job);
  CHECK(e.live_attempt() == nullptr);
  CHECK(e.attempts.empty() || e.attempts.back().key < change.attempt.key);
  e.attempts.change().push_back(change.attempt);
  e.steps.clear();
  dirty_.fair_shares = true;
  dirty_.mark(e.job.id);
  touch(e);
  index(e);
}

void Cluster::apply_one(const AttemptChanged& change, Now now) {
  JobEntry& e = jobs_.entry(change.attempt.key.job);
  CHECK(!e.attempts.empty() && e.attempts.back().key == change.attempt.key);
  // A new order to suspend or resume has the whole prepare_timeout to be carried out.
  if (change.attempt.suspension.number > e.attempts.back().suspension.number)
    deadlines_.restart_preparing(e.job.id, now.boot);
  e.attempts.change().back() = change.attempt;
  dirty_.mark(e.job.id);
  touch(e);
  index(e);
}

void Cluster::apply_one(const CheckpointAdded& change, Now) {
  JobEntry& e = jobs_.entry(change.checkpoint.key.job);
  e.checkpoints.change().push_back(change.checkpoint);
  put_newest_last(e.checkpoints.change());
  touch(e);
  dirty_.mark(e.job.id);
}

void Cluster::apply_one(const CheckpointChanged& change, Now) {
  const Checkpoint& changed = change.checkpoint;
  if (checkpoints_.put_kept(changed)) return;
  JobEntry& e = jobs_.entry(changed.key.job);
  std::vector<Checkpoint>& checkpoints = e.checkpoints.change();
  const auto it = std::ranges::find_if(
      checkpoints, [&](const Checkpoint& c) { return key_of(c) == key_of(changed); });
  CHECK(it != checkpoints.end());
  *it = changed;
  if (changed.pruned) {
    if (changed.removed == Wall{}) checkpoints_.keep(e, changed);
    checkpoints.erase(it);
  }
  touch(e);
  dirty_.mark(e.job.id);
}

void Cluster::apply_one(const EventAdded& change, Now) {
  if (job(change.event.job) == nullptr) return;
  JobEntry& e = jobs_.entry(change.event.job);
  touch(e);
  e.recorded = std::max(e.recorded, change.event.at);
}

// Does not count as a change of state, since nothing depends on stored pending reasons.
void Cluster::apply_one(const WaitPut& change, Now) {
  const JobEntry& e = jobs_.entry(change.wait.job);
  CHECK(e.job.state == JobState::Pending);
  waits_.put(change.wait);
  eligibility_.index_hopeless(e.job);
}

// ---- nodes, partitions, reservations

void Cluster::apply_one(const NodeChanged& change, Now) {
  put_node(change.node);
  dirty_.totals = true;
  availability_changed(change.node.name);
  ++changes_applied_;
}

void Cluster::apply_one(const PartitionChanged& change, Now) {
  change_partitions({change.partition.name}, [&] { partitions_.put(change.partition); });
}

// REQUIRES: no unfinished job names the partition.
void Cluster::apply_one(const PartitionRemoved& change, Now) {
  partitions_.remove(change.name);
  ++changes_applied_;
}

// Runs `edit`, which changes a reservation. If it draws in other jobs than before, updates their
// requests.
void Cluster::change_reservations(bool draws_in, const std::function<void()>& edit) {
  if (draws_in) requests_changed();
  edit();
  dirty_.reservations = true;
  ++changes_applied_;
}

void Cluster::apply_one(const ReservationPut& change, Now) {
  const AdvanceReservation& now = change.reservation;
  const auto before = reservations_.all().find(now.name);
  const bool drew_in = before != reservations_.all().end() && before->second.magnetic;
  const bool draws_as_before = drew_in && now.magnetic && before->second.users == now.users &&
                               before->second.accounts == now.accounts &&
                               before->second.qos == now.qos;
  soft_.idle_reservations.erase(now.name);
  change_reservations((drew_in || now.magnetic) && !draws_as_before,
                      [&] { reservations_.put(now); });
}

void Cluster::apply_one(const ReservationRemoved& change, Now) {
  const auto gone = reservations_.all().find(change.name);
  CHECK(gone != reservations_.all().end());
  soft_.idle_reservations.erase(change.name);
  change_reservations(gone->second.magnetic, [&] { reservations_.remove(change.name); });
}

// ---- accounts and QOS

void Cluster::apply_one(const AssociationPut& change, Now) {
  dirty_.fair_shares = dirty_.charges = true;
  const Association* known = accounting_.accounts().at(change.association.id);
  dirty_.quotas = dirty_.quotas || known == nullptr || known->parent != change.association.parent ||
                  known->shares != change.association.shares ||
                  known->limits != change.association.limits;
  accounting_.put(change.association);
}

void Cluster::apply_one(const AssociationRemoved& change, Now) {
  accounting_.remove(change.id);
  dirty_.fair_shares = dirty_.charges = dirty_.quotas = true;
}

void Cluster::apply_one(const QosPut& change, Now) {
  const bool comes = !accounting_.qos().contains(change.qos.name);
  set_qos({change.qos});
  if (comes) accounting_.count_all_submitted();  // a partition may already name this new QOS
}

void Cluster::apply_one(const QosRemoved& change, Now) {
  if (!accounting_.qos().at(change.name).limits.kept_tres.empty())
    requests_changed();  // jobs of lower tiers may use the resources that the QOS kept
  accounting_.remove_qos(change.name);
  dirty_.charges = true;
  settle_gpu_types();
  accounting_.count_all_submitted();
  ++changes_applied_;
}

void Cluster::apply_one(const QosUsed& change, Now) {
  dirty_.charges = true;
  accounting_.put(change.usage);
}

// ---- other changes

void Cluster::apply_one(const FailoverChanged& change, Now) {
  const auto known = std::ranges::find(failovers_, change.failover.term, &Failover::term);
  CHECK(known != failovers_.end());
  *known = change.failover;
}

void Cluster::apply_one(const EventTriggerRemoved& change, Now) {
  triggers_.remove(change.id);
  soft_.forget(change.id);
}

}  // namespace cox
