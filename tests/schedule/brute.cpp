#include "tests/schedule/brute.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

bool is_of_type(const PendingJob& job, const GpuDevice& device) {
  const auto& types = job.request->gpu_types;
  return types.empty() || std::ranges::find(types, device.type) != types.end();
}

// How many tasks the node could take; 0 when it cannot be part at all.
std::int64_t capacity(const World& world, const WorldNode& node, const PendingJob& job,
                      const std::set<JobId>& ended) {
  if (!node.available) return 0;
  if (!job.request->constraint.empty() &&
      std::ranges::find(node.features, job.request->constraint) == node.features.end())
    return 0;
  std::int64_t cpus = node.total.cpus;
  std::int64_t memory_mb = node.total.memory_mb;
  std::set<std::int32_t> busy;
  bool empty = true;
  for (const RunningJob& running : world.running) {
    if (ended.contains(running.id)) continue;
    for (const NodeGrant& grant : running.grants) {
      if (grant.node != node.name) continue;
      cpus -= grant.cpus;
      memory_mb -= grant.memory_mb;
      busy.insert(grant.gpus.begin(), grant.gpus.end());
      empty = false;
    }
  }
  const auto gpus = std::ranges::count_if(node.total.gpus, [&](const GpuDevice& device) {
    return !busy.contains(device.index) && is_of_type(job, device);
  });
  if (job.request->exclusive && !empty) return 0;
  if (memory_mb < job.request->memory_mb_per_node || gpus < job.request->gpus_per_node) return 0;
  return std::max<std::int64_t>(cpus / job.request->cpus_per_task, 0);
}

bool chosen_hold(const World& world, const PendingJob& job, const std::set<JobId>& ended,
                 unsigned chosen) {
  std::int64_t held = 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < world.nodes.size(); ++i) {
    if ((chosen >> i & 1u) == 0) continue;
    std::int64_t tasks = capacity(world, world.nodes[i], job, ended);
    if (tasks == 0) return false;
    if (job.request->tasks_per_node > 0) tasks = std::min(tasks, job.request->tasks_per_node);
    held += tasks;
    names.insert(world.nodes[i].name);
  }
  return held >= job.request->tasks &&
         static_cast<std::int64_t>(names.size()) == job.request->nodes &&
         std::ranges::all_of(job.request->nodelist,
                             [&](const auto& name) { return names.contains(name); });
}

}  // namespace

bool brute_fits(const World& world, const PendingJob& job, const std::set<JobId>& ended) {
  for (unsigned chosen = 0; chosen < (1u << world.nodes.size()); ++chosen)
    if (chosen_hold(world, job, ended, chosen)) return true;
  return false;
}

std::int64_t brute_cost(const RunningJob& job, const Settings& settings) {
  const Milliseconds lost = start_of_time - *job.unsaved_since + settings.preempt_restart_cost;
  return job.preempt_weight *
         std::llround(job.loss_per_second_units * static_cast<double>(lost.count()));
}

namespace {

bool gives_way(const RunningJob& running, const PendingJob& job, const Settings& settings) {
  if (!running.preemptable || running.stopping || running.tier >= job.tier) return false;
  const auto exempt = running.exempt_time ? *running.exempt_time : settings.preempt_exempt_time;
  if (start_of_time - running.began < exempt) return false;
  const auto lately = std::ranges::count_if(running.preempted, [&](Boot when) {
    return start_of_time - when < settings.preempt_budget_window;
  });
  return settings.preempt_budget == 0 || lately < settings.preempt_budget;
}

}  // namespace

std::optional<BruteVictims> brute_victims(const World& world, const PendingJob& job,
                                          const Settings& settings) {
  std::vector<const RunningJob*> candidates;
  std::set<JobId> stopping;
  for (const RunningJob& running : world.running) {
    if (running.stopping) stopping.insert(running.id);
    if (gives_way(running, job, settings)) candidates.push_back(&running);
  }
  std::optional<BruteVictims> best;
  for (unsigned chosen = 0; chosen < (1u << candidates.size()); ++chosen) {
    std::set<JobId> ended = stopping;
    BruteVictims victims;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if ((chosen >> i & 1u) == 0) continue;
      ended.insert(candidates[i]->id);
      ++victims.count;
      victims.cost += brute_cost(*candidates[i], settings);
    }
    const bool better =
        !best || std::pair(victims.cost, victims.count) < std::pair(best->cost, best->count);
    if (better && brute_fits(world, job, ended)) best = victims;
  }
  return best;
}

}  // namespace cox::schedule
