// The planted bugs of the simulated store: wrong writes, and wrong loads of the state.
#include <algorithm>

#include "common/syntax/dependency.h"
#include "tests/sim/sim_store.h"

namespace cox::sim {
namespace {

// A planted bug: takes a job that failed with exit code 75 for one that saved, and requeues it.
void believe_75(Change& change) {
  auto* changed = std::get_if<JobChanged>(&change);
  if (changed == nullptr || changed->state_left != JobState::Completing) return;
  Job& job = changed->job;
  if (job.state != JobState::Failed || job.exit_code != exit_code_saved) return;
  job.state = JobState::Pending;
  job.ended = Wall{};
}

// A planted bug: loads of each job only its newest attempt and the attempts with a checkpoint.
void forget_attempts(Snapshot& snapshot) {
  std::map<JobId, AttemptKey> newest;
  for (const Attempt& attempt : snapshot.attempts) newest[attempt.key.job] = attempt.key;
  const auto is_needed = [&](const Attempt& attempt) {
    const auto saved = [&](const Checkpoint& c) { return c.key == attempt.key; };
    return newest.at(attempt.key.job) == attempt.key ||
           std::ranges::any_of(snapshot.checkpoints, saved);
  };
  std::erase_if(snapshot.attempts, [&](const Attempt& attempt) { return !is_needed(attempt); });
}

JobId first_free_id(const MemoryTables& tables) {
  return tables.jobs.empty() ? JobId{1} : JobId{tables.jobs.rbegin()->first.value + 1};
}

void forget_hold(Job& job) {
  if (!job.held_why.empty()) job.held = false;
  job.held_why.clear();
}

bool requeues(const Change& change) {
  const auto* changed = std::get_if<JobChanged>(&change);
  return changed != nullptr && changed->state_left == JobState::Completing &&
         changed->job.state == JobState::Pending;
}

// A planted bug: adds the increase of each TRES's usage a second time.
void count_twice(std::vector<TresUsage>& usage, const std::vector<TresUsage>& before) {
  for (TresUsage& one : usage) {
    const auto was = std::ranges::find(before, one.tres, &TresUsage::tres);
    one.seconds += one.seconds - (was == before.end() ? 0 : was->seconds);
  }
}

void count_twice(Turn& turn, const MemoryTables& tables) {
  for (Change& change : turn.changes) {
    if (auto* put = std::get_if<AssociationPut>(&change)) {
      const auto before = tables.associations.find(put->association.id);
      if (before != tables.associations.end())
        count_twice(put->association.usage, before->second.usage);
    }
    if (auto* used = std::get_if<QosUsed>(&change)) {
      const auto before = tables.qos_usage.find(used->usage.qos);
      const bool known = before != tables.qos_usage.end();
      count_twice(used->usage.usage, known ? before->second.usage : std::vector<TresUsage>{});
    }
  }
}

// Keeps the store right while a planted bug changes dependencies in the controller's memory: writes
// the committed dependencies again.
void keep_waits(Change& change, const MemoryTables& tables, PlantedBug bug) {
  auto* changed = std::get_if<JobChanged>(&change);
  auto* added = std::get_if<JobAdded>(&change);
  if (changed == nullptr && added == nullptr) return;
  Job& job = changed != nullptr ? changed->job : added->job;
  const auto before = tables.jobs.find(changed != nullptr ? job.id : job.array_job);
  if (before == tables.jobs.end() || job.dependencies.empty()) return;
  const auto& waits = before->second.dependencies;
  if (bug == PlantedBug::WaitsForNobody || waits.empty()) job.dependencies = waits;
}

// A planted bug: makes the job depend again on its `afterany` jobs, which have ended.
void wait_again(Job& job) {
  const auto wish = parse_dependency(job.spec->dependency);
  if (job.spec->dependency.empty() || !wish || !job.dependencies.empty()) return;
  for (const Dependency& term : wish->terms)
    if (term.kind == DependencyKind::AfterAny) job.dependencies.change().push_back(term);
}

}  // namespace

// A planted bug: reports the turn as committed, but stores only its number.
void SimStore::pretend_committed() {
  inner_.database()->tables.turn = turn_->number;
  events_.push_back(Committed{turn_->number, {}});
  turn_.reset();
  scene_.agenda.after(scene_.random.time(1, 15), [this, life = std::weak_ptr(life_)] {
    if (!life.expired()) wake_();
  });
}

// A planted bug: writes the turn of a former leader as if it led. Returns false if the controller
// does lead, or if the turn does not apply.
bool SimStore::writes_as_if_it_led() {
  MemoryTables& tables = inner_.database()->tables;
  if (turn_->term == tables.term) return false;
  Turn turn = *turn_;
  turn.number.value = tables.turn.value + 1;
  if (apply_turn(tables, turn)) return false;
  judge_.turn_applied(turn);
  return true;
}

void SimStore::plant_in(Turn& turn) const {
  const MemoryTables& tables = inner_.tables();
  if (scene_.planted == PlantedBug::CountsUsageTwice && std::ranges::any_of(turn.changes, requeues))
    count_twice(turn, tables);
  if (scene_.planted == PlantedBug::WaitsForNobody || scene_.planted == PlantedBug::ReleasesTwice)
    for (Change& change : turn.changes) keep_waits(change, tables, scene_.planted);
  if (scene_.planted == PlantedBug::BelievesExitCodes)
    for (Change& change : turn.changes) believe_75(change);
}

void SimStore::plant_in(StoreEvent& event) {
  auto* loaded = std::get_if<Loaded>(&event);
  auto* read = std::get_if<QosRead>(&event);
  if (scene_.planted == PlantedBug::ForgetsLimits && scene_.random.one_in(4)) {
    if (loaded != nullptr)
      for (Qos& qos : loaded->snapshot.qos) qos.limits = {};
    if (read != nullptr)
      for (Qos& qos : read->qos) qos.limits = {};
  }
  if (loaded == nullptr) return;
  if (scene_.planted == PlantedBug::IssuesIdsAgain)
    loaded->snapshot.next_job = first_free_id(inner_.tables());
  if (scene_.planted == PlantedBug::ForgetsCrontabs) loaded->snapshot.cron_lines.clear();
  if (scene_.planted == PlantedBug::ForgetsFailovers) loaded->snapshot.failovers.clear();
  if (scene_.planted == PlantedBug::ForgetsAttempts) forget_attempts(loaded->snapshot);
  for (Job& job : loaded->snapshot.jobs) {
    if (job.state != JobState::Pending) continue;
    if (scene_.planted == PlantedBug::ForgetsWaits) job.dependencies.clear();
    if (scene_.planted == PlantedBug::WaitsForNobody)
      for (Dependency& term : job.dependencies.change()) term.on = job.id;
    if (scene_.planted == PlantedBug::ReleasesTwice) wait_again(job);
    if (scene_.planted == PlantedBug::ForgetsHolds) forget_hold(job);
  }
}

}  // namespace cox::sim
