#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/base/hostlist.h"
#include "schedule/model/late_begin.h"
#include "schedule/model/nodes.h"
#include "schedule/model/request_chain.h"
#include "tests/schedule/scenario.h"

namespace cox::schedule {
namespace {

struct Use {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::map<std::int32_t, std::int64_t> gpu_milli;
  int holders = 0;
  bool exclusive = false;
};

bool is_among(const auto& among, const auto& one) {
  return std::ranges::find(among, one) != among.end();
}

void add(std::map<std::string, Use>& uses, const Placement& placement, bool exclusive,
         bool with_cpus = true) {
  for (const NodeGrant& grant : placement) {
    Use& use = uses[grant.node];
    if (with_cpus) use.cpus += grant.cpus;
    use.memory_mb += grant.memory_mb;
    for (const std::int32_t gpu : grant.gpus) use.gpu_milli[gpu] += grant.gpu_milli;
    ++use.holders;
    use.exclusive = use.exclusive || exclusive;
  }
}

void verify_use(const SchedulerNode& node, const Use& use) {
  EXPECT_LE(use.cpus, node.total.cpus) << node.name;
  EXPECT_LE(use.memory_mb, node.total.memory_mb) << node.name;
  EXPECT_TRUE(!use.exclusive || use.holders == 1) << node.name;
  for (const auto& [gpu, milli] : use.gpu_milli) {
    EXPECT_LE(milli, gpu_whole) << node.name << " gpu " << gpu;
    EXPECT_TRUE(std::ranges::any_of(node.total.gpus, [&](const GpuDevice& device) {
      return device.index == gpu;
    })) << node.name;
  }
}

bool is_wanted(const Request& request, const std::string& gpu_type) {
  if (request.gpu_types.empty() || is_among(request.gpu_types, gpu_type)) return true;
  return request.otherwise && is_wanted(**request.otherwise, gpu_type);
}

void verify_grant(const SchedulerInput& world, const Request& request, const NodeGrant& grant) {
  const auto node = std::ranges::find(world.nodes, grant.node, &SchedulerNode::name);
  ASSERT_NE(node, world.nodes.end());
  EXPECT_TRUE(node->available) << grant.node;
  EXPECT_GE(grant.ranks, 1);
  EXPECT_TRUE(request.partition_nodes.empty() || is_among(request.partition_nodes, grant.node));
  if (request.exclusive) {
    EXPECT_EQ(grant.cpus, node->total.cpus);
    return;
  }
  EXPECT_EQ(grant.cpus, grant.ranks * request.cpus_per_task);
  EXPECT_EQ(grant.memory_mb,
            request.whole_memory ? node->total.memory_mb : request.memory_mb_per_node);
  EXPECT_EQ(static_cast<std::int64_t>(grant.gpus.size()), request.gpus_per_node);
  EXPECT_TRUE(grant.gpus.empty() || grant.gpu_milli == request.gpu_milli);
  EXPECT_TRUE(request.tasks_per_node == 0 || grant.ranks == request.tasks_per_node);
  std::set<std::int32_t> islands;
  for (const GpuDevice& device : node->total.gpus)
    if (is_among(grant.gpus, device.index)) islands.insert(device.island);
  EXPECT_TRUE(!request.joined_gpus || islands.size() <= 1) << grant.node;
  for (const GpuDevice& device : node->total.gpus)
    EXPECT_TRUE(!is_among(grant.gpus, device.index) || is_wanted(request, device.type));
}

void verify_start(const SchedulerInput& world, const Start& start) {
  const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
  ASSERT_NE(job, world.pending.end());
  EXPECT_FALSE(job->held);
  const auto nodes = std::ssize(start.placement);
  EXPECT_GE(nodes, job->request->nodes);
  EXPECT_LE(nodes, std::max(job->request->nodes_most, job->request->nodes));
  std::int32_t ranks = 0;
  std::vector<std::string> names;
  std::map<std::int32_t, std::int64_t> nodes_of;
  for (const NodeGrant& grant : start.placement) {
    const auto& components = job->request->components;
    verify_grant(world,
                 components.empty() ? *job->request
                                    : *components.at(static_cast<std::size_t>(grant.component)),
                 grant);
    ++nodes_of[grant.component];
    EXPECT_EQ(grant.first_rank, ranks);
    ranks += grant.ranks;
    names.push_back(grant.node);
  }
  const bool larger = nodes > job->request->nodes;
  EXPECT_EQ(ranks,
            larger ? job->request->tasks / job->request->nodes * nodes : job->request->tasks);
  const auto before = [&](const std::string& a, const std::string& b) {
    const auto& in_a = std::ranges::find(world.nodes, a, &SchedulerNode::name)->domains;
    const auto& in_b = std::ranges::find(world.nodes, b, &SchedulerNode::name)->domains;
    if (in_a != in_b) return in_b.empty() || (!in_a.empty() && in_a < in_b);
    return host_name_before(a, b);
  };
  for (std::size_t i = 0; i < job->request->components.size(); ++i)
    EXPECT_EQ(nodes_of[static_cast<std::int32_t>(i)], job->request->components[i]->nodes);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  if (!job->request->components.empty()) return;
  EXPECT_TRUE(std::ranges::is_sorted(names, before)) << "ranks are not numbered along the topology";
  if (job->request->contiguous && !names.empty()) {
    const Nodes order(world.nodes);
    EXPECT_EQ(*order.find(names.back()) - *order.find(names.front()) + 1, nodes)
        << "its nodes are not next to one another";
  }
  for (const std::string& wanted : job->request->nodelist)
    EXPECT_TRUE(is_among(names, wanted)) << wanted;
}

// Returns whether a job may run on the node from `begin` to `end`. While the reservation lasts,
// only its own jobs may use its nodes, and these, unless it is flexible, may use no other nodes.
bool may_be_there(const AdvanceReservation& one, const Request& request, const std::string& node,
                  Boot begin, std::optional<Boot> end) {
  const bool is_in = request.reservation == one.name;
  const bool is_its = is_among(one.nodes, node);
  const auto lasts_over = [&](const auto& o) {
    const Milliseconds late = begin - o.begin;
    const Milliseconds may_overrun = late <= late_begin_max ? late : Milliseconds{0};
    return o.begin <= begin && end && *end <= o.end + may_overrun;
  };
  const auto touches = [&](const auto& o) { return o.end > begin && (!end || o.begin < *end); };
  if (is_in) return one.flex || (is_its && std::ranges::any_of(one.occurrences, lasts_over));
  return !is_its || std::ranges::none_of(one.occurrences, touches);
}

bool is_overruled(const SchedulerInput& world, const Request& request, const std::string& node) {
  return std::ranges::any_of(world.reservations, [&](const AdvanceReservation& own) {
    return own.name == request.reservation && own.overrules && is_among(own.nodes, node);
  });
}

void verify_reservations(const SchedulerInput& world, const PendingJob& job, const Start& start,
                         Boot now) {
  const auto limit = start.time_limit ? start.time_limit : job.time_limit;
  std::optional<Boot> end;
  if (limit) end = now + *limit;
  const auto allows = [&](const Request& request) {
    for (const AdvanceReservation& one : world.reservations)
      for (const NodeGrant& grant : start.placement)
        if ((request.reservation == one.name || !is_overruled(world, request, grant.node)) &&
            !may_be_there(one, request, grant.node, now, end))
          return false;
    return true;
  };
  EXPECT_TRUE(std::ranges::any_of(RequestChain(*job.request), allows))
      << "job " << job.id.value << " starts on nodes reserved for others";
}

// Expects that the preemptors of the plan fit once their victims have stopped or are suspended.
void verify_claims(const SchedulerInput& world, const Plan& plan) {
  std::map<std::string, Use> uses;
  for (const RunningJob& job : world.running) {
    const auto victim = std::ranges::find(plan.preemptions, job.id, &Preemption::victim);
    const bool is_victim = victim != plan.preemptions.end();
    if (job.stopping || (is_victim && !victim->suspends)) continue;
    const bool is_stopped = is_victim || (job.suspended && !is_among(plan.resumes, job.id));
    add(uses, job.grants, false, !is_stopped);
  }
  for (const Start& start : plan.starts) add(uses, start.placement, false);
  for (const Claimed& claim : plan.claims) {
    const auto job = std::ranges::find(world.pending, claim.job, &PendingJob::id);
    add(uses, claim.placement, job != world.pending.end() && job->request->exclusive);
  }
  for (const SchedulerNode& node : world.nodes) verify_use(node, uses[node.name]);
}

}  // namespace

void verify(const SchedulerInput& world, const Plan& plan, Boot now) {
  std::map<std::string, Use> uses;
  for (const RunningJob& job : world.running)
    add(uses, job.grants, false, !job.is_suspended || is_among(plan.resumes, job.id));
  std::multiset<JobId> covered;
  for (const Start& start : plan.starts) {
    verify_start(world, start);
    if (const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
        job != world.pending.end())
      verify_reservations(world, *job, start, now);
    const auto job = std::ranges::find(world.pending, start.job, &PendingJob::id);
    add(uses, start.placement, job != world.pending.end() && job->request->exclusive);
    covered.insert(start.job);
  }
  for (const SchedulerNode& node : world.nodes) verify_use(node, uses[node.name]);
  for (const PendingExplanation& waiting : plan.waiting) {
    covered.insert(waiting.job);
    EXPECT_NE(waiting.reason, WaitReason::None);
    EXPECT_FALSE(waiting.detail.empty());
  }
  std::multiset<JobId> pending;
  for (const PendingJob& job : world.pending) {
    const std::int64_t starts = std::ranges::count(plan.starts, job.id, &Start::job);
    EXPECT_LE(starts, job.copies);
    for (std::int64_t i = 0; i < std::min(starts + 1, job.copies); ++i) pending.insert(job.id);
  }
  for (const RunningJob& job : world.running)
    if (job.is_suspended && !job.stopping && !is_among(plan.resumes, job.id))
      pending.insert(job.id);
  for (const JobId id : plan.resumes) {
    const auto job = std::ranges::find(world.running, id, &RunningJob::id);
    ASSERT_NE(job, world.running.end());
    EXPECT_TRUE(job->is_suspended && job->resumable && !job->stopping);
  }
  EXPECT_EQ(covered, pending);
  std::set<JobId> victims;
  for (const Preemption& p : plan.preemptions) {
    EXPECT_TRUE(victims.insert(p.victim).second) << "two preemptors share a victim";
    const auto victim = std::ranges::find(world.running, p.victim, &RunningJob::id);
    const auto preemptor = std::ranges::find(world.pending, p.preemptor, &PendingJob::id);
    ASSERT_NE(victim, world.running.end());
    ASSERT_NE(preemptor, world.pending.end());
    EXPECT_FALSE(victim->stopping || victim->suspended);
    EXPECT_EQ(p.suspends, victim->suspends);
    EXPECT_FALSE(is_among(plan.resumes, p.victim)) << "it resumes only to be suspended again";
    EXPECT_TRUE(p.continues_on_nodes && victim->movable
                    ? victim->movable && victim->tier <= preemptor->tier
                    : victim->preemptable &&
                          (victim->tier < preemptor->tier || !world.quotas.empty()));
  }
  verify_claims(world, plan);
}

}  // namespace cox::schedule
