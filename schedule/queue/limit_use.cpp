#include "schedule/queue/limit_use.h"

#include <algorithm>

#include "common/base/check.h"
#include "schedule/model/request_chain.h"

namespace cox::schedule {
namespace {

std::int64_t gpu_milli_of(const Request& request, std::int64_t nodes) {
  return nodes * request.gpus_per_node * request.gpu_milli;
}

// GPUs of a request that names no type, or several, count as of no type. If types of GPUs are
// limited, requests have one alternative for each type.
bool is_of_type(const Request& request, const std::string& type) {
  return type.empty() || (request.gpu_types.size() == 1 && request.gpu_types.front() == type);
}

std::int64_t gres_of(const Request& request, const Limit& limit) {
  std::int64_t count = 0;
  for (const GresCount& gres : request.gres)
    if (gres.name == limit.most.name && (limit.most.type.empty() || gres.type == limit.most.type))
      count += gres.count;
  return count;
}

std::int64_t licences_of(const Request& request, const std::string& name) {
  for (const LicenceCount& licence : request.licences)
    if (licence.name == name) return licence.count;
  return 0;
}

}  // namespace

namespace {

std::int64_t amount_of(const Limit& limit, const Request& request, std::int64_t nodes,
                       std::int64_t tasks) {
  switch (limit.most.what) {
    case Tres::Jobs: return 1;
    case Tres::Nodes: return nodes;
    case Tres::Cpus: return tasks * request.cpus_per_task;
    case Tres::MemoryMb: return nodes * request.memory_mb_per_node;
    case Tres::GpuMilli:
      return is_of_type(request, limit.most.type) ? gpu_milli_of(request, nodes) : 0;
    case Tres::Gres: return nodes * gres_of(request, limit);
    case Tres::Licences: return licences_of(request, limit.most.name);
  }
  CHECK(false && "unknown Tres");
}

// Adds up the components. Jobs and licences count once for the whole job.
std::int64_t count_of_components(const Limit& limit, const Request& request) {
  if (limit.most.what == Tres::Jobs) return count_of(limit, *request.components.front(), 1, 1);
  Request licences;
  licences.licences = request.licences;
  if (limit.most.what == Tres::Licences) return count_of(limit, licences, 1, 1);
  std::int64_t count = 0;
  for (const Shared<Request>& one : request.components)
    count += count_of(limit, *one, one->nodes, one->tasks);
  return count;
}

}  // namespace

std::int64_t count_of(const Limit& limit, const Request& request, std::int64_t nodes,
                      std::int64_t tasks, const Whole& whole) {
  if (!request.components.empty()) return count_of_components(limit, request);
  std::int64_t amount = amount_of(limit, request, nodes, tasks);
  if (limit.seconds == 0) return amount;
  if (whole) amount = std::max(amount, nodes * whole->amount(limit.most).value_or(0));
  constexpr std::int64_t count_max = std::int64_t{1} << 60;
  return amount > count_max / limit.seconds ? count_max : amount * limit.seconds;
}

bool LimitUse::hold(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
                    std::int64_t tasks, const Whole& whole) {
  if (limits.empty()) {
    release(id);
    return false;
  }
  const auto [at, is_new] = holdings_.try_emplace(id);
  if (!is_new) add(at->second, -1);
  at->second.clear();
  for (const Limit& limit : limits)
    if (const std::int64_t count = count_of(limit, request, nodes, tasks, whole); count > 0)
      at->second.emplace_back(limit.id, count);
  add(at->second, 1);
  return is_new;
}

void LimitUse::hold_more(JobId id, const Limits& limits, const Request& request, std::int64_t nodes,
                         std::int64_t tasks, const Whole& whole) {
  Holding more;
  for (const Limit& limit : limits)
    if (const std::int64_t count = count_of(limit, request, nodes, tasks, whole); count > 0)
      more.emplace_back(limit.id, count);
  Holding& holding = holdings_[id];
  for (const auto& [limit, count] : more) {
    const auto known =
        std::ranges::find(holding, limit, &std::pair<std::int32_t, std::int64_t>::first);
    if (known != holding.end()) {
      known->second += count;
    } else {
      holding.emplace_back(limit, count);
    }
  }
  add(more, 1);
}

void LimitUse::release(JobId id) {
  const auto holding = holdings_.extract(id);
  if (!holding.empty()) add(holding.mapped(), -1);
}

void LimitUse::add(const Holding& holding, std::int64_t by) {
  ++version_;
  for (const auto& [limit, count] : holding) {
    const auto at = static_cast<std::size_t>(limit);
    if (at >= used_.size()) used_.resize(at + 1);
    used_[at] += by * count;
  }
}

bool LimitUse::allows(std::optional<JobId> id, const Limits& limits, const Request& request,
                      std::int64_t nodes, std::int64_t tasks, const Whole& whole) const {
  return std::ranges::all_of(limits, [&](const Limit& limit) {
    if (limit.is_of_room()) return true;
    const std::int64_t count = count_of(limit, request, nodes, tasks, whole);
    const std::int64_t own = id ? used_by(*id, limit.id) : 0;
    return count == 0 || used(limit.id) - own + count <= limit.most.count;
  });
}

bool LimitUse::leaves_room(const Limits& limits, const Request& request, std::int64_t nodes,
                           std::int64_t tasks, std::span<const JobId> without) const {
  return std::ranges::all_of(limits, [&](const Limit& limit) {
    if (!limit.is_of_room()) return true;
    std::int64_t left = limit.most.count - used(limit.id);
    for (const JobId id : without) left += used_by(id, limit.id);
    const std::int64_t count = count_of(limit, request, nodes, tasks);
    return count == 0 || count <= left;
  });
}

std::int64_t LimitUse::used(std::int32_t limit) const {
  const auto at = static_cast<std::size_t>(limit);
  return (at < used_.size() ? used_[at] : 0) + (at < charged_.size() ? charged_[at] : 0);
}

void LimitUse::add_demand(const Limits& limits, const Request& request, std::int64_t jobs) {
  for (const Limit& limit : limits) {
    if (limit.seconds != 0 || limit.is_of_room()) continue;
    std::int64_t most = 0;
    for (const Request& one : RequestChain(request))
      most = std::max(most, count_of(limit, one, one.nodes, one.tasks));
    const auto at = static_cast<std::size_t>(limit.id);
    if (at >= demand_.size()) demand_.resize(at + 1);
    demand_[at] += jobs * most;
  }
}

std::int64_t LimitUse::demand(std::int32_t limit) const {
  const auto at = static_cast<std::size_t>(limit);
  return at < demand_.size() ? demand_[at] : 0;
}

void LimitUse::charge(std::int32_t limit, std::int64_t count) {
  const auto at = static_cast<std::size_t>(limit);
  if (at >= charged_.size()) charged_.resize(at + 1);
  charged_[at] = count;
}

std::int64_t LimitUse::used_by(JobId id, std::int32_t limit) const {
  const auto holding = holdings_.find(id);
  if (holding == holdings_.end()) return 0;
  for (const auto& [one, count] : holding->second)
    if (one == limit) return count;
  return 0;
}

}  // namespace cox::schedule
