#include "schedule/place/matcher.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "common/syntax/constraint.h"
#include "schedule/model/request_chain.h"
#include "schedule/model/request_pool.h"
#include "schedule/place/advance.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

ResolvedRequest sizes_of(const Request& request, PlacementPolicy policy) {
  ResolvedRequest need;
  need.request = &request;
  need.policy = policy;
  const std::set<std::string_view> named(request.nodelist.begin(), request.nodelist.end());
  need.nodes = std::max({std::int64_t{1}, request.nodes, std::ssize(named)});
  need.tasks = std::max(request.tasks, need.nodes);
  need.cpus_per_task = std::max<std::int64_t>(request.cpus_per_task, 1);
  need.memory_mb = request.whole_memory ? 0 : std::max<std::int64_t>(request.memory_mb_per_node, 0);
  need.gpus = std::max<std::int64_t>(request.gpus_per_node, 0);
  if (request.gpu_milli > 0 && request.gpu_milli < gpu_whole) {
    need.gpus = 1;
    need.gpu_milli = request.gpu_milli;
  }
  need.joined_gpus = request.joined_gpus && need.gpus > 1;
  const bool may_have_several = need.nodes > 1 || request.nodes_most > 1;
  need.contiguous = request.contiguous && may_have_several;
  need.even = request.min_cpus > 0 && may_have_several && need.tasks > need.nodes;
  if (request.tasks_per_node > 0)
    need.tasks_per_node_max = std::max(request.tasks_per_node, need.tasks_even());
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

// Returns the features that the gang asks for. The caller has validated the text; a constraint that
// cannot be parsed counts as a feature that no node has.
GangFeatures features_of(const Request& request) {
  const Result<Constraint> constraint = parse_constraint(request.constraint);
  if (!constraint) return {{{{request.constraint}}}, {}};
  if (constraint->alternatives.empty()) return {};
  return constraint->alternatives.front();
}

// Returns the number of features that every node must have. If possible, nodes with more features
// are left for other jobs.
std::size_t features_wanted(const FeatureTerm& every) {
  const auto wants_one = [](const std::vector<std::string>& any_of) {
    return std::ranges::none_of(any_of, is_excluded_feature);
  };
  return static_cast<std::size_t>(std::ranges::count_if(every.all_of, wants_one));
}

// Sets the nodes and tasks of a heterogeneous gang to the sums over its components.
void sum_up(ResolvedRequest& need, const Room& idle) {
  need.usable.clear();
  need.required.clear();
  need.required_missing = false;
  need.nodes = need.tasks = 0;
  for (const ResolvedRequest& component : need.components) {
    need.nodes += component.nodes;
    need.tasks += component.tasks;
    need.usable.insert(need.usable.end(), component.usable.begin(), component.usable.end());
    need.required.insert(need.required.end(), component.required.begin(), component.required.end());
    need.required_missing = need.required_missing || component.required_missing;
  }
  const std::size_t required = need.required.size();
  sort_unique(need.usable);
  sort_unique(need.required);
  need.required_missing = need.required_missing || need.required.size() < required;
  need.ever_fits = fits(need, idle);
}

void keep_least(WholeNode& least, const WholeNode& other) {
  least.cpus = std::min(least.cpus, other.cpus);
  least.memory_mb = std::min(least.memory_mb, other.memory_mb);
  least.gpus = std::min(least.gpus, other.gpus);
  for (auto& [type, count] : least.gpus_of_type) {
    const auto found = other.gpus_of_type.find(type);
    count = found == other.gpus_of_type.end() ? 0 : std::min(count, found->second);
  }
}

}  // namespace

const std::vector<NodeAt>& Matcher::matching(const Request& request) {
  for (const Match& match : matches_)
    if (*match.constraint == request.constraint &&
        *match.partition_nodes == request.partition_nodes && *match.exclude == request.exclude)
      return match.nodes;
  Match match{&request.partition_nodes, &request.constraint, &request.exclude, {}};
  const std::set<std::string_view> excluded(request.exclude.begin(), request.exclude.end());
  const FeatureTerm every = features_of(request).every;
  for (const NodeAt at : in_partition(nodes_, request.partition_nodes))
    if (every.node_satisfies(nodes_[at].node->features) &&
        !excluded.contains(nodes_[at].node->name))
      match.nodes.push_back(at);
  matches_.push_back(std::move(match));
  return matches_.back().nodes;
}

// Resolves the levels, GRES and licences. Returns false, so that no node is usable, if a kind or
// level does not exist.
bool Matcher::resolve_besides(ResolvedRequest& need) const {
  const Request& request = *need.request;
  need.switches = nodes_.levels().empty() ? 0 : request.switches;
  if (!request.topology_level.empty()) {
    need.level = nodes_.level(request.topology_level);
    if (!need.level) return false;
  }
  auto gres = nodes_.counted().gres(request.gres);
  auto licences = nodes_.counted().licences(request.licences);
  if (!gres || !licences) return false;
  need.gres = std::move(*gres);
  need.licences = std::move(*licences);
  return true;
}

void Matcher::resolve_parts(ResolvedRequest& need) const {
  need.parts.clear();
  for (const CountedFeatures& some : features_of(*need.request).some) {
    FeaturePart part{{}, some.nodes};
    for (const NodeAt at : need.usable)
      if (some.term.node_satisfies(nodes_[at].node->features)) part.members.push_back(at);
    need.parts.push_back(std::move(part));
  }
}

// Returns for each node the devices of these types.
std::vector<GpuBits> Matcher::devices_of(const std::vector<std::string>& types) const {
  std::vector<std::optional<GpuBits>> of_sort(nodes_.sorts());
  std::vector<GpuBits> devices;
  devices.reserve(static_cast<std::size_t>(nodes_.size()));
  for (NodeAt at = 0; at < nodes_.size(); ++at) {
    std::optional<GpuBits>& known = of_sort[static_cast<std::size_t>(nodes_[at].sort)];
    if (!known) known = nodes_[at].devices_of(types);
    devices.push_back(*known);
  }
  return devices;
}

void Matcher::resolve_nodes(ResolvedRequest& need, Availability availability, bool avoiding) {
  const Request& request = *need.request;
  need.usable.clear();
  need.required.clear();
  need.required_missing = false;
  std::vector<std::optional<bool>> holds(nodes_.sorts());  // whether a node holds a task, by sort
  for (const NodeAt at : matching(request)) {
    const SchedulerNode& node = *nodes_[at].node;
    if (availability == Availability::Required && !node.available) continue;
    if (need.closed != nullptr && need.closed->has(at)) continue;
    if (avoiding && std::ranges::find(request.avoid, node.name) != request.avoid.end()) continue;
    std::optional<bool>& known = holds[static_cast<std::size_t>(nodes_[at].sort)];
    if (!known) known = tasks_that_fit(need, idle_, at) > 0;
    if (*known) need.usable.push_back(at);
  }
  for (const std::string& name : request.nodelist) {
    const auto at = nodes_.find(name);
    if (at && std::ranges::binary_search(need.usable, *at)) {
      need.required.push_back(*at);
    } else {
      need.required_missing = true;
    }
  }
  sort_unique(need.required);
  resolve_parts(need);
}

const ResolvedRequest& Matcher::need(const Request& request, Availability availability,
                                     const Closed* closed) {
  if (availability == Availability::Ignored) return resolved(request, availability, closed);
  const auto [it, is_new] = resolved_by_address_[closed].try_emplace(&request, nullptr);
  if (is_new) it->second = &resolved(request, availability, closed);
  return *it->second;
}

const ResolvedRequest& Matcher::resolved(const Request& request, Availability availability,
                                         const Closed* closed) {
  const std::size_t hash = hash_of(request);
  const auto [begin, end] = resolved_by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second->availability == availability && it->second->need.closed == closed &&
        *it->second->need.request == request)
      return it->second->need;
  ++resolved_so_far_;
  resolved_.push_back({availability, resolve(request, availability, closed)});
  resolved_by_hash_.emplace(hash, &resolved_.back());
  return resolved_.back().need;
}

// Resolves a heterogeneous request: usable are all nodes that any component can use.
ResolvedRequest Matcher::resolve_components(const Request& request, Availability availability,
                                            const Closed* closed) {
  ResolvedRequest need = sizes_of(request, policy_);
  need.all_nodes = &nodes_;
  need.usefulness = &usefulness_;
  need.closed = closed;
  if (!resolve_besides(need)) return need;
  for (const Shared<Request>& one : request.components) {
    ResolvedRequest& component = need.components.emplace_back(resolved(*one, availability, closed));
    component.even = true;
  }
  sum_up(need, idle_);
  if (request.avoid.empty() || need.ever_fits) return need;
  // Each component fits without the nodes that it avoids, but not all components together. So the
  // avoided nodes are allowed again.
  for (ResolvedRequest& component : need.components) resolve_nodes(component, availability, false);
  sum_up(need, idle_);
  return need;
}

ResolvedRequest Matcher::resolve(const Request& request, Availability availability,
                                 const Closed* closed) {
  if (!request.components.empty()) return resolve_components(request, availability, closed);
  ResolvedRequest need = sizes_of(request, policy_);
  need.all_nodes = &nodes_;
  need.usefulness = &usefulness_;
  need.closed = closed;
  if (!resolve_besides(need)) return need;
  if (need.gpus > 0 && !request.gpu_types.empty()) need.devices = devices_of(request.gpu_types);
  need.features_asked = features_wanted(features_of(request).every);
  resolve_nodes(need, availability, !request.avoid.empty());
  if (!request.avoid.empty() && !fits(need, idle_)) resolve_nodes(need, availability, false);
  need.ever_fits = fits(need, idle_);
  if (request.exclusive) {
    const bool named = std::ssize(need.required) >= need.nodes;
    need.whole = largest_of(nodes_, named ? need.required : need.usable);
  }
  return need;
}

ResolvedRequest Matcher::sized(const ResolvedRequest& need, std::int64_t nodes) const {
  ResolvedRequest other = need;
  other.nodes = nodes;
  other.tasks = need.tasks / need.nodes * nodes;
  return other;
}

void Matcher::forget_all() {
  resolved_by_address_.clear();
  resolved_by_hash_.clear();
  resolved_.clear();
  matches_.clear();
}

std::optional<WholeNode> whole_node_of(const Nodes& nodes, const Request& request) {
  Matcher matcher(nodes);
  std::optional<WholeNode> least;
  for (const Request& one : RequestChain(request)) {
    if (!one.exclusive) return std::nullopt;
    const ResolvedRequest& need = matcher.need(one, Availability::Ignored);
    if (!need.ever_fits) continue;
    if (least) {
      keep_least(*least, *need.whole);
    } else {
      least = need.whole;
    }
  }
  return least;
}

}  // namespace cox::schedule
