#include "controller/accounting/account_use.h"

#include <algorithm>
#include <cmath>

#include "common/base/limits.h"
#include "controller/state/usage.h"
#include "schedule/queue/limit_use.h"

namespace cox {
namespace {

void add_tres(TresList& tres_list, TresCount tres) {
  tres.count = 0;
  tres.hours.clear();
  if (!has_tres(tres_list, tres)) tres_list.push_back(std::move(tres));
}

AccountUse nothing_of(const AssociationLimits& limits) {
  AccountUse use;
  add_tres(use.held, {Tres::Cpus, "", "", 0});
  add_tres(use.held, {Tres::GpuMilli, "", "", 0});
  for (const TresList* list : {&limits.grp_tres, &limits.guarantee, &limits.deserved})
    for (const TresCount& one : *list) add_tres(use.held, one);
  for (const TresCount& one : limits.grp_tres_mins) add_tres(use.minutes, one);
  return use;
}

// What a live job (one with an attempt that holds nodes) counts against limits. Its GPUs count as
// the type that the job got.
struct Counted {
  schedule::Request request;
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  std::int64_t seconds = 0;  // its time limit

  // For an exclusive job: the most of each resource that any of its nodes has. Else empty.
  schedule::Whole whole{};

  std::int64_t of(const TresCount& tres) const {
    return schedule::count_of({0, tres, 0}, request, nodes, tasks);
  }
  std::int64_t each_second(const TresCount& tres) const {
    return schedule::count_of({0, tres, 1}, request, nodes, tasks, whole);
  }
};

Counted counted(const Cluster& cluster, const JobEntry& entry) {
  Counted job{*cluster.requests().of_live(entry), 0, 0, entry.job.spec->time_limit_s};
  if (job.seconds == 0) job.seconds = limits::time_limit_s_max;
  if (job.request.exclusive) job.whole.emplace();
  for (const AttemptNode& n : entry.live_attempt()->nodes) {
    job.nodes += 1;
    job.tasks += n.grant.ranks;
    const Node* node = cluster.node(n.grant.node);
    if (node == nullptr) continue;
    if (job.whole) job.whole->reach(node->total);
    if (n.grant.gpus.empty()) continue;
    const auto device =
        std::ranges::find(node->total.gpus, n.grant.gpus.front(), &GpuDevice::index);
    if (device != node->total.gpus.end()) job.request.gpu_types = {device->type};
  }
  return job;
}

constexpr std::int64_t minutes_most = std::int64_t{1} << 60;

void add_job(AccountUse& use, const Counted& job) {
  for (TresCount& tres : use.held) tres.count += job.of(tres);
  use.wall_s += job.seconds;
  for (TresCount& tres : use.minutes) {
    const double more =
        static_cast<double>(job.each_second(tres)) * static_cast<double>(job.seconds) / 60;
    const double sum = static_cast<double>(tres.count) + more;
    tres.count = std::llround(std::min(sum, static_cast<double>(minutes_most)));
  }
}

// Adds to `use` what ended jobs of the association have used, decayed until `now`.
void add_used(AccountUse& use, const Association& one, Now now, Milliseconds half_life) {
  use.wall_s += std::llround(used_by(one, wall_tres, now.wall, half_life));
  for (TresCount& tres : use.minutes) {
    const double thousandths = tres.what == Tres::GpuMilli ? 1000 : 1;
    const double seconds = used_by(one, tres_name(tres), now.wall, half_life);
    tres.count += std::llround(seconds * thousandths / 60);
  }
}

}  // namespace

std::map<AssociationId, AccountUse> account_uses(const Cluster& cluster, Now now) {
  const Accounts& accounts = cluster.accounting().accounts();
  std::map<AssociationId, AccountUse> uses;
  for (const auto& [id, one] : accounts.all()) uses.emplace(id, nothing_of(one.limits));
  for (const auto& [id, one] : accounts.all())
    if (!one.usage.empty())
      for (const Association* above : accounts.chain(one))
        add_used(uses.at(above->id), one, now, cluster.config().usage.half_life);
  for (const JobId id : cluster.jobs().live()) {
    const JobEntry& entry = *cluster.job(id);
    const Association* own = accounts.of(*entry.job.spec);
    if (own == nullptr) continue;
    const Counted job = counted(cluster, entry);
    for (const Association* above : accounts.chain(*own)) add_job(uses.at(above->id), job);
  }
  return uses;
}

}  // namespace cox
