// What the engine is told of quotas and of room that is kept for tiers, and what requests say when
// GPUs are counted by type.
#include <algorithm>
#include <utility>

#include "controller/state/cluster.h"
#include "schedule/place/alternatives.h"
#include "schedule/queue/quota.h"

namespace cox {

void Cluster::tiers_changed() {
  qos_by_mode_.clear();
  forget_limits();
  limits_in_use_.set_tiers(qos_);
}

void Cluster::forget_limits() {
  limits_in_use_.forget_lists();
  limits_of_specs_.forget_all();
}

namespace {

// By jobs on nodes that are not available: it is neither there nor taken from what is.
std::int64_t held_out_of_reach(const schedule::Engine& engine, std::int32_t limit) {
  const schedule::Nodes& nodes = engine.nodes();
  const auto is_away = [&](const NodeGrant& grant) {
    const auto at = nodes.find(grant.node);
    return !at || !nodes[*at].node->available;
  };
  std::int64_t sum = 0;
  for (const auto& [id, running] : engine.running()) {
    const Placement& grants = running.job.grants;
    const auto away = std::ranges::count_if(grants, is_away);
    if (away > 0) sum += engine.limit_use().used_by(id, limit) * away / std::ssize(grants);
  }
  return sum;
}

}  // namespace

// Of room that is kept, all there is counts as less than none: what others may have is left.
void Cluster::tell_quotas(bool nodes_changed) const {
  if (std::exchange(quotas_stale_, false))
    scheduler_->engine().set_quotas(limits_in_use_.quotas(accounts_));
  const auto& kept = limits_in_use_.kept_limits();
  if (kept.empty()) return;
  if (nodes_changed || kept_told_ != kept.size()) {
    kept_told_ = kept.size();
    for (const auto& [limit, what] : kept)
      room_there_is_[limit] = schedule::available_of(scheduler_->engine().nodes(), what);
  }
  for (const auto& [limit, what] : kept)
    scheduler_->engine().charge_limit(
        limit, -room_there_is_[limit] - held_out_of_reach(scheduler_->engine(), limit));
}

// What is asked of the scheduler is about to be another: all leave the line as they came into it.
void Cluster::change_requests(const std::function<void()>& edit) {
  std::vector<JobId> in_line;
  for (const JobId id : unfinished_)
    if (entry(id).in_line) in_line.push_back(id);
  for (const JobId id : in_line) leave_line(entry(id), Leaves::ToComeBack);
  edit();
  requests_of_specs_.forget_all();
  possible_.clear();
  for (const JobId id : in_line) enter_line(entry(id));
  running_stale_.insert(live_.begin(), live_.end());
}

Shared<schedule::Request> Cluster::by_gpu_type(Shared<schedule::Request> request) const {
  using schedule::DivideByType;
  if (!by_gpu_type_ && gpu_types_.size() < 2) return request;
  std::vector<std::string> types;
  for (const auto& [type, count] : gpu_types_) types.push_back(type);
  return schedule::by_gpu_type(*request, types,
                               by_gpu_type_           ? DivideByType::All
                               : mixed_gpu_nodes_ > 0 ? DivideByType::UntypedMixed
                                                      : DivideByType::Untyped);
}

void Cluster::settle_gpu_types() {
  const bool by_type = limits_in_use_.counts_gpu_types(accounts_, qos_);
  if (by_type != by_gpu_type_) change_requests([&] { by_gpu_type_ = by_type; });
}

namespace {

bool is_mixed(const Node& node) {
  const auto& gpus = node.total.gpus;
  return std::ranges::any_of(gpus,
                             [&](const GpuDevice& gpu) { return gpu.type != gpus.front().type; });
}

}  // namespace

void Cluster::count_gpu_types(const Node& before, const Node& now) {
  const std::int32_t mixed =
      mixed_gpu_nodes_ + (is_mixed(now) ? 1 : 0) - (is_mixed(before) ? 1 : 0);
  std::map<std::string, std::int64_t> types = gpu_types_;
  for (const GpuDevice& device : now.total.gpus) ++types[device.type];
  for (const GpuDevice& device : before.total.gpus) --types[device.type];
  std::erase_if(types, [](const auto& one) { return one.second == 0; });
  const bool same = std::ranges::equal(
      types, gpu_types_, {}, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.first; });
  const bool mixed_same = (mixed > 0) == (mixed_gpu_nodes_ > 0);
  const bool one_type = types.size() < 2 && gpu_types_.size() < 2;
  const auto keep = [&] {
    gpu_types_ = std::move(types);
    mixed_gpu_nodes_ = mixed;
  };
  if ((same && mixed_same) || (one_type && !by_gpu_type_))
    keep();
  else
    change_requests(keep);
}

std::int64_t Cluster::there_is(const TresCount& thing) const {
  constexpr std::size_t things_max = 4096;
  if (there_is_.size() >= things_max) there_is_.clear();
  const auto [known, is_new] = there_is_.emplace(tres_name(thing), 0);
  if (is_new)
    for (const auto& [name, node] : nodes_) known->second += schedule::amount_of(node.total, thing);
  return known->second;
}

}  // namespace cox
