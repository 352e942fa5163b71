#include "schedule/top/snapshot_check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "common/syntax/constraint.h"
#include "schedule/place/feature_parts.h"
#include "schedule/queue/longest_waits.h"

namespace cox::schedule {
namespace {

constexpr std::size_t gpus_per_node_max = 64;
constexpr std::size_t limits_known_max = 10'000'000;  // the numbers of limits are below this

template <class Policy>
bool is_named(const PolicyNames<Policy>& names, Policy policy) {
  return std::ranges::find(names, policy, &std::pair<std::string_view, Policy>::second) !=
         names.end();
}

void check_settings(const Settings& settings) {
  if (!is_named(order_policies(), settings.order) ||
      !is_named(placement_policies(), settings.placement) ||
      !is_named(preferences(), settings.gpu_choice))
    throw Wrong{"its settings name an unknown policy"};
  if (settings.priority.wait_memory < 1 || settings.priority.wait_memory > wait_memory_max)
    throw Wrong{"its wait_memory is not from 1 to " + std::to_string(wait_memory_max)};
}

void check_limits(const Shared<Limits>& limits) {
  for (const Limit& limit : *limits)
    if (limit.id < 0 || std::cmp_greater_equal(limit.id, limits_known_max))
      throw Wrong{"a limit has an invalid number"};
}

// Checks that each tree is consecutive, parents before children, and each limit occurs once.
void check_quotas(const std::vector<Quota>& quotas) {
  constexpr std::int64_t amount_max = std::int64_t{1} << 50;
  std::set<std::int32_t> limits;
  std::int32_t root = -1;
  for (std::int32_t at = 0; std::cmp_less(at, quotas.size()); ++at) {
    const Quota& quota = quotas[static_cast<std::size_t>(at)];
    if (quota.parent < 0) root = at;
    const bool in_tree = quota.parent < 0 || (quota.parent >= root && quota.parent < at);
    if (root < 0 || !in_tree || !limits.insert(quota.limit).second || !is_of_nodes(quota.what) ||
        quota.guarantee < 0 || quota.deserved < 0 || quota.shares < 0 ||
        quota.guarantee > amount_max || quota.deserved > amount_max || quota.shares > amount_max)
      throw Wrong{"its quotas are not trees"};
  }
}

}  // namespace

void check_request(const Request& request) {
  const auto constraint = parse_constraint(request.constraint);
  if (constraint)
    for (const GangFeatures& features : constraint->alternatives)
      if (features.some.size() > feature_parts_max)
        throw Wrong{"a request counts too many features"};
  if (request.otherwise) check_request(**request.otherwise);
  for (const Shared<Request>& one : request.components) {
    if (!one->components.empty() || one->otherwise)
      throw Wrong{"a component of a request has components or alternatives"};
    if (one->contiguous) throw Wrong{"a component of a request is contiguous"};
    check_request(*one);
  }
}

void check(const Input& input) {
  check_settings(input.settings);
  check_quotas(input.world.quotas);
  for (const RunningJob& job : input.world.running) check_limits(job.limits);
  for (const PendingJob& job : input.world.pending) check_limits(job.limits);
  std::set<std::string> names;
  for (const SchedulerNode& node : input.world.nodes) {
    if (!names.insert(node.name).second) throw Wrong{"two nodes are called " + node.name};
    if (node.total.gpus.size() > gpus_per_node_max)
      throw Wrong{"node " + node.name + " has more than 64 GPUs"};
  }
  std::set<JobId> ids;
  const auto once = [&ids](JobId id) {
    if (!ids.insert(id).second) throw Wrong{"job " + std::to_string(id.value) + " occurs twice"};
  };
  for (const RunningJob& job : input.world.running) once(job.id);
  for (const PendingJob& job : input.world.pending) {
    once(job.id);
    if (job.copies < 1) throw Wrong{"a job has no copies"};
  }
  if (input.ended.size() > Lifetimes::ended_max) throw Wrong{"it has too many ended jobs"};
  ids.clear();
  for (const Lifetimes::Ended& one : input.ended) {
    once(one.id);
    if (one.bin < 0 || std::cmp_greater_equal(one.bin, Lifetimes::bins))
      throw Wrong{"an ended job has an invalid service"};
  }
}

}  // namespace cox::schedule
