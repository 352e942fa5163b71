#include "schedule/need.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "schedule/place.h"

namespace cox::schedule {
namespace {

Need sizes_of(const PendingJob& job) {
  Need need;
  need.job = &job;
  const std::set<std::string_view> named(job.nodelist.begin(), job.nodelist.end());
  need.nodes = std::max({std::int64_t{1}, job.nodes, std::ssize(named)});
  need.tasks = std::max(job.tasks, need.nodes);
  need.cpus_per_task = std::max<std::int64_t>(job.cpus_per_task, 1);
  need.memory_mb = std::max<std::int64_t>(job.memory_mb_per_node, 0);
  need.gpus = std::max<std::int64_t>(job.gpus_per_node, 0);
  if (job.tasks_per_node > 0)
    need.tasks_per_node_max = std::max(job.tasks_per_node, need.tasks_even());
  return need;
}

void sort_unique(std::vector<NodeAt>& nodes) {
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
}

std::vector<NodeAt> in_partition(const Nodes& nodes, const std::vector<std::string>& names) {
  std::vector<NodeAt> found;
  if (names.empty()) {
    for (NodeAt at = 0; at < nodes.size(); ++at) found.push_back(at);
    return found;
  }
  for (const std::string& name : names)
    if (const auto at = nodes.find(name)) found.push_back(*at);
  sort_unique(found);
  return found;
}

auto wishes(const PendingJob& job) {
  return std::tie(job.tier, job.may_preempt, job.nodes, job.tasks, job.tasks_per_node,
                  job.cpus_per_task, job.memory_mb_per_node, job.gpus_per_node, job.exclusive,
                  job.gpu_type, job.constraint, job.nodelist, job.avoid, job.partition_nodes);
}

bool same_wishes(const PendingJob& a, const PendingJob& b) {
  return wishes(a) == wishes(b);
}

// Of the numbers and words that differ most; equality is decided by same_wishes().
std::size_t hash_of_wishes(const PendingJob& job) {
  std::size_t hash = std::hash<std::string>{}(job.gpu_type + ' ' + job.constraint);
  for (const std::int64_t number : {job.nodes, job.tasks, job.tasks_per_node, job.cpus_per_task,
                                    job.memory_mb_per_node, job.gpus_per_node})
    hash = hash * 1'000'003 + static_cast<std::size_t>(number);
  return hash;
}

bool has_feature(const WorldNode& node, const std::string& feature) {
  return feature.empty() || std::ranges::binary_search(node.features, feature);
}

}  // namespace

const std::vector<NodeAt>& Matcher::matching(const PendingJob& job) {
  for (const Match& match : matches_)
    if (*match.constraint == job.constraint && *match.partition_nodes == job.partition_nodes)
      return match.nodes;
  Match match{&job.partition_nodes, &job.constraint, {}};
  for (const NodeAt at : in_partition(nodes_, job.partition_nodes))
    if (has_feature(*nodes_[at].node, job.constraint)) match.nodes.push_back(at);
  matches_.push_back(std::move(match));
  return matches_.back().nodes;
}

void Matcher::settle_nodes(Need& need, Availability availability, bool avoiding) {
  const PendingJob& job = *need.job;
  need.usable.clear();
  need.required.clear();
  need.required_missing = false;
  for (const NodeAt at : matching(job)) {
    const WorldNode& node = *nodes_[at].node;
    if (availability == Availability::Required && !node.available) continue;
    if (avoiding && std::ranges::find(job.avoid, node.name) != job.avoid.end()) continue;
    if (tasks_that_fit(need, nodes_, idle_, at) > 0) need.usable.push_back(at);
  }
  for (const std::string& name : job.nodelist) {
    const auto at = nodes_.find(name);
    if (at && std::ranges::binary_search(need.usable, *at)) {
      need.required.push_back(*at);
    } else {
      need.required_missing = true;
    }
  }
  sort_unique(need.required);
}

const Need& Matcher::need(const PendingJob& job, Availability availability) {
  const std::size_t hash = hash_of_wishes(job);
  const auto [begin, end] = settled_by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second->availability == availability && same_wishes(*it->second->need.job, job))
      return it->second->need;
  settled_.push_back({availability, settle(job, availability)});
  settled_by_hash_.emplace(hash, &settled_.back());
  return settled_.back().need;
}

Need Matcher::settle(const PendingJob& job, Availability availability) {
  Need need = sizes_of(job);
  settle_nodes(need, availability, !job.avoid.empty());
  if (!job.avoid.empty() && !fits(need, nodes_, idle_)) settle_nodes(need, availability, false);
  return need;
}

}  // namespace cox::schedule
