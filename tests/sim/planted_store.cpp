// A store with a planted bug: what it writes and reads otherwise than it is told.
#include <algorithm>

#include "tests/sim/sim_store.h"

namespace cox::sim {
namespace {

bool requeues(const Change& change) {
  const auto* changed = std::get_if<JobChanged>(&change);
  return changed != nullptr && changed->state_left == JobState::Completing &&
         changed->job.state == JobState::Pending;
}

// The difference to what was there before is added once more.
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

bool releases(const Change& change, const MemoryTables& tables) {
  const auto* changed = std::get_if<JobChanged>(&change);
  if (changed == nullptr || changed->job.state != JobState::Pending) return false;
  const auto before = tables.jobs.find(changed->job.id);
  return before != tables.jobs.end() && !before->second.dependencies.empty() &&
         changed->job.dependencies.empty();
}

// What memory believes that a job waits for is not written down.
void keep_waits(Change& change, const MemoryTables& tables) {
  auto* changed = std::get_if<JobChanged>(&change);
  auto* added = std::get_if<JobAdded>(&change);
  if (changed == nullptr && added == nullptr) return;
  Job& job = changed != nullptr ? changed->job : added->job;
  const JobId row = changed != nullptr ? job.id : job.array_job;
  const auto before = tables.jobs.find(row);
  if (before != tables.jobs.end() && !job.dependencies.empty())
    job.dependencies = before->second.dependencies;
}

}  // namespace

void SimStore::plant_in(Turn& turn) const {
  const MemoryTables& tables = inner_.tables();
  if (scene_.planted == PlantedBug::CountsUsageTwice && std::ranges::any_of(turn.changes, requeues))
    count_twice(turn, tables);
  if (scene_.planted == PlantedBug::WaitsForNobody)
    for (Change& change : turn.changes) keep_waits(change, tables);
  if (scene_.planted == PlantedBug::ForgetsReleases)
    std::erase_if(turn.changes, [&](const Change& change) { return releases(change, tables); });
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
  for (Job& job : loaded->snapshot.jobs) {
    if (job.state != JobState::Pending) continue;
    if (scene_.planted == PlantedBug::ForgetsWaits) job.dependencies.clear();
    if (scene_.planted == PlantedBug::WaitsForNobody)
      for (Dependency& term : job.dependencies) term.on = job.id;
  }
}

}  // namespace cox::sim
