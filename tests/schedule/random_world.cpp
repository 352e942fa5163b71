#include "tests/schedule/random_world.h"

#include <algorithm>

#include "common/syntax/min_cpus.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::int64_t from(std::int64_t least, std::int64_t most) {
    // std::uniform_int_distribution would give other numbers with another standard library.
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(std::int64_t count) { return from(1, count) == 1; }

 private:
  std::mt19937_64 engine_;
};

void add_wishes(Dice& dice, Request& request) {
  if (dice.one_in(4)) request.topology_level = dice.one_in(2) ? "leaf" : "spine";
  if (request.gpus_per_node > 1) request.joined_gpus = !dice.one_in(3);
  if (dice.one_in(4)) request.switches = dice.from(1, 2);
  if (dice.one_in(3)) request.gres = {{"fpga", "", dice.from(1, 2)}};
  if (dice.one_in(3)) request.licences = {{"matlab", dice.from(1, 2)}};
  if (request.nodes > 1 && dice.one_in(3)) {
    request.constraint = dice.one_in(2) ? "[fast*1&ib*1]" : "[ib*2]";
    // A submission with counted features may ask for one leaf switch at most.
    request.switches = std::min<std::int64_t>(request.switches, 1);
  }
}

SchedulerNode random_node(Dice& dice, int number, const WorldShape& shape) {
  SchedulerNode node;
  node.name = "n" + std::to_string(number);
  node.total.cpus = dice.from(1, 4);
  node.total.memory_mb = dice.from(1, 4) * 100;
  const std::int64_t gpus = std::max<std::int64_t>(dice.from(-3, 4), 0);
  for (std::int32_t i = 0; i < gpus; ++i)
    node.total.gpus.push_back({i, dice.one_in(2) ? "a100" : "h100", ""});
  if (dice.one_in(2)) node.features = {"fast"};
  if (shape.wishes) {
    if (dice.one_in(2)) node.features.push_back("ib");
    if (dice.one_in(2))
      for (GpuDevice& gpu : node.total.gpus) gpu.island = 1 + gpu.index / 2;
    if (!dice.one_in(6))
      node.domains = {"s" + std::to_string(dice.from(1, 2)), "l" + std::to_string(dice.from(1, 2))};
    if (dice.one_in(2)) node.total.gres = {{"fpga", "u280", dice.from(1, 3)}};
  }
  if (shape.wishes) node.weight = 1 + number % 2;
  node.available = !dice.one_in(10);
  node.unavailable_why = node.available ? "" : "not responding";
  return node;
}

// Grants a random part of `left`, the free resources of the node, and subtracts it.
NodeGrant random_grant(Dice& dice, const SchedulerNode& node, NodeResources& left) {
  NodeGrant grant;
  grant.node = node.name;
  grant.cpus = dice.from(1, left.cpus);
  grant.ranks = static_cast<std::int32_t>(grant.cpus);
  grant.memory_mb = dice.from(0, left.memory_mb / 100) * 100;
  for (std::int64_t i = dice.from(0, std::ssize(left.gpus)); i > 0; --i) {
    grant.gpus.push_back(left.gpus.back().index);
    left.gpus.pop_back();
  }
  left.cpus -= grant.cpus;
  left.memory_mb -= grant.memory_mb;
  return grant;
}

// Makes some jobs suspendable, being suspended or suspended. Adds the CPUs of a suspended job to
// `left`, the free resources of each node.
void suspend_some(Dice& dice, RunningJob& job, const SchedulerInput& world,
                  std::vector<NodeResources>& left) {
  const std::int64_t kind = dice.from(0, 3);
  job.suspends = kind > 0;
  if (kind < 2) return;
  job.suspended = true;
  job.preemptable = false;
  job.ends_by.reset();
  if (dice.one_in(2)) job.time_left = std::chrono::seconds{dice.from(1, 20) * 10};
  if (kind < 3) return;
  job.is_suspended = true;
  job.resumable = !dice.one_in(6);
  for (const NodeGrant& grant : job.grants)
    for (std::size_t i = 0; i < world.nodes.size(); ++i)
      if (world.nodes[i].name == grant.node) left[i].cpus += grant.cpus;
}

RunningJob random_running(Dice& dice, std::int64_t id, const WorldShape& shape,
                          const SchedulerInput& world, std::vector<NodeResources>& left) {
  RunningJob job;
  job.id = JobId{id};
  for (std::size_t i = 0; i < world.nodes.size(); ++i)
    if (left[i].cpus > 0 && dice.one_in(2))
      job.grants.push_back(random_grant(dice, world.nodes[i], left[i]));
  job.tier = static_cast<std::int32_t>(shape.preempting ? dice.from(1, 3) : 1);
  job.stopping = dice.one_in(6);
  job.preemptable = shape.preempting && !job.stopping && !dice.one_in(4);
  if (shape.all_limited || dice.one_in(2))
    job.ends_by = start_of_time + std::chrono::seconds{dice.from(1, 20) * 10};
  // A stopping job ends before the time limit of any other job, so room that it frees for a
  // preemptor is never free later than room that a backfill reservation waits for.
  if (job.stopping) job.ends_by = start_of_time + std::chrono::seconds{dice.from(1, 5)};
  job.loss_per_second_units = static_cast<double>(dice.from(0, 3));
  job.unsaved_since = start_of_time - std::chrono::seconds{dice.from(0, 5)};
  if (shape.suspending && !job.stopping) suspend_some(dice, job, world, left);
  // Derived from the job id instead of the dice, so that the worlds of all seeds stay as they were
  // before these fields existed.
  job.partition_tier = shape.preempting ? static_cast<std::int32_t>(id % 3 == 1) : 0;
  job.preempt_weight = 1 + 7 * id % 5;
  job.began = start_of_time - std::chrono::minutes{3 * id % 20};
  if (id % 3 == 0) job.exempt_time = std::chrono::minutes{5};
  if (id % 4 == 0) job.done_by = start_of_time + std::chrono::minutes{id};
  for (std::int64_t ago = 10 + 7 * id; ago > 0; ago -= 25)
    job.preempted.push_back(start_of_time - std::chrono::minutes{ago});
  return job;
}

PendingJob random_pending(Dice& dice, std::int64_t id, const WorldShape& shape,
                          const SchedulerInput& world) {
  PendingJob job;
  job.id = JobId{id};
  job.tier = static_cast<std::int32_t>(shape.preempting ? dice.from(1, 4) : 1);
  job.partition_tier = shape.preempting ? static_cast<std::int32_t>(id % 3 == 0) : 0;
  job.eligible = wall_from_ms(dice.from(0, 3));
  job.account = dice.from(0, 3);
  Request request;
  request.nodes = dice.from(1, std::min<std::int64_t>(3, std::ssize(world.nodes)));
  if (dice.one_in(3)) {
    request.tasks_per_node = dice.from(1, 3);
    request.tasks = request.nodes * request.tasks_per_node;
  } else {
    request.tasks = request.nodes + dice.from(0, 4);
  }
  request.cpus_per_task = dice.one_in(4) ? 2 : 1;
  request.memory_mb_per_node = dice.one_in(3) ? dice.from(1, 3) * 100 : 0;
  if (dice.one_in(4)) request.gpus_per_node = dice.from(1, 3);
  if (request.gpus_per_node == 1 && dice.one_in(2))
    request.gpu_milli = static_cast<std::int32_t>(dice.from(1, 3) * 250);
  if (request.gpus_per_node > 0 && dice.one_in(2)) request.gpu_types = {"h100"};
  request.exclusive = dice.one_in(8);
  if (dice.one_in(5)) request.constraint = "fast";
  if (dice.one_in(8)) request.nodelist = {world.nodes.front().name};
  if (shape.wishes) add_wishes(dice, request);
  if (shape.all_limited || dice.one_in(2))
    job.time_limit = std::chrono::seconds{dice.from(1, 20) * 10};
  job.held = dice.one_in(20);
  if (shape.wishes) {
    request.contiguous = dice.one_in(3);
    request.min_cpus = dice.one_in(4) ? 2 : 0;
    request.cpus_per_task =
        cpus_per_task_with(request.min_cpus, request.cpus_per_task, request.tasks, request.nodes);
  }
  job.request = std::move(request);
  return job;
}

// Adds advance reservations of some nodes, and puts some jobs into them.
void reserve_some(Dice& dice, SchedulerInput& world) {
  const auto count = dice.from(1, 2);
  for (int i = 1; i <= count; ++i) {
    AdvanceReservation one;
    one.name = "r" + std::to_string(i);
    for (const SchedulerNode& node : world.nodes)
      if (dice.one_in(2)) one.nodes.push_back(node.name);
    const Boot begin = start_of_time + std::chrono::seconds{dice.from(-5, 15) * 10};
    const std::chrono::seconds lasts{dice.from(1, 15) * 10};
    one.occurrences.push_back({begin, begin + lasts});
    if (dice.one_in(2)) one.occurrences.push_back({begin + 2 * lasts, begin + 3 * lasts});
    one.flex = dice.one_in(4);
    one.overrules = dice.one_in(2);
    world.reservations.push_back(std::move(one));
  }
  for (PendingJob& job : world.pending) {
    if (!dice.one_in(3)) continue;
    Request inside = *job.request;
    inside.reservation = "r" + std::to_string(dice.from(1, count));
    if (dice.one_in(2)) inside.otherwise = job.request;
    job.request = std::move(inside);
    if (dice.one_in(3)) job.time_min = std::chrono::seconds{10};
  }
}

// Adds quotas: accounts a and b are below the root, c is below b. Each job is in account a, in c,
// or in none.
void give_quotas(Dice& dice, SchedulerInput& world) {
  const auto quota = [&](std::int32_t limit, std::int32_t parent) {
    Quota one;
    one.limit = limit;
    one.parent = parent;
    one.shares = dice.from(1, 3);
    one.guarantee = dice.from(0, 3);
    one.deserved = one.guarantee + dice.from(0, 4);
    if (dice.one_in(4)) one.most = one.deserved + dice.from(0, 4);
    return one;
  };
  world.quotas = {Quota{}, quota(1, 0), quota(2, 0), quota(3, 2)};
  const auto limits_of = [&](std::initializer_list<std::size_t> path) {
    Limits limits;
    for (const std::size_t at : path) {
      Limit limit{world.quotas[at].limit, {}};
      limit.most.count = world.quotas[at].most;
      limits.push_back(limit);
    }
    return Shared<Limits>(std::move(limits));
  };
  const std::vector<Shared<Limits>> accounts{limits_of({1, 0}), limits_of({3, 2, 0}), {}};
  const std::int64_t richest = dice.from(0, 1);
  for (RunningJob& job : world.running) {
    std::int64_t tasks = 0;
    for (const NodeGrant& grant : job.grants) tasks += grant.ranks;
    job.request.change().tasks = tasks;
    job.limits = accounts[static_cast<std::size_t>(dice.one_in(4) ? dice.from(0, 2) : richest)];
  }
  for (PendingJob& job : world.pending)
    job.limits = accounts[static_cast<std::size_t>(dice.from(0, 2))];
}

}  // namespace

Settings random_world_settings() {
  Settings settings;
  settings.licences = {{"matlab", licences_there}};
  settings.topology_levels = {"leaf", "spine"};
  return settings;
}

SchedulerInput random_world(std::uint64_t seed, const WorldShape& shape) {
  Dice dice(seed);
  SchedulerInput world;
  const auto nodes = dice.from(1, shape.nodes_max);
  for (int i = 1; i <= nodes; ++i) world.nodes.push_back(random_node(dice, i, shape));
  std::vector<NodeResources> left;
  for (const SchedulerNode& node : world.nodes) left.push_back(node.total);
  const auto running = dice.from(0, shape.running_max);
  for (int i = 1; i <= running; ++i) {
    RunningJob job = random_running(dice, i, shape, world, left);
    if (shape.wishes && i == 1) job.request.change().licences = {{"matlab", dice.from(1, 2)}};
    if (!job.grants.empty()) world.running.push_back(std::move(job));
  }
  const auto pending = dice.from(1, shape.pending_max);
  for (int i = 1; i <= pending; ++i)
    world.pending.push_back(random_pending(dice, 100 + i, shape, world));
  if (shape.reserving) reserve_some(dice, world);
  if (shape.quotas) give_quotas(dice, world);
  return world;
}

}  // namespace cox::schedule
