#include "controller/job/request.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/gpu_islands.h"
#include "common/syntax/min_cpus.h"
#include "schedule/place/alternatives.h"
#include "schedule/place/components.h"
#include "schedule/place/feature_parts.h"

namespace cox {
namespace {

constexpr std::string_view shard = "shard";
// At most so many numbers of nodes are tried for a job that sets --ntasks.
constexpr std::int64_t sizes_max = 8;

Preference choice_of(const ControllerConfig& config, const ParsedSpec& spec,
                     const PartitionConfig* partition) {
  if (const auto asked = spec.terms->gpu_choice) return *asked;
  if (partition != nullptr && partition->gpu_choice) return *partition->gpu_choice;
  return config.scheduling.gpu_choice;
}

std::vector<std::vector<std::string>> groups_of(const ControllerConfig& config,
                                                const ParsedSpec& spec,
                                                const PartitionConfig* partition) {
  if (spec.gpu_type.empty()) return {};
  const std::vector<GpuTypeWish>& types = spec.terms->gpu_types;
  if (types.empty()) return {{spec.gpu_type}};  // the configuration has no GPU type of this name
  const bool one_gpu = spec.nodes <= 1 && spec.node_sizes.empty() && spec.gpus_per_node <= 1;
  return schedule::gpu_groups(
      types, config.scheduling.gpu_prices, choice_of(config, spec, partition),
      one_gpu ? schedule::EqualTypes::Together : schedule::EqualTypes::Apart);
}

// Returns the numbers of nodes to try for a job that sets its number of tasks, the lowest first.
std::vector<std::int64_t> sizes_of(const NodeRange& range, std::int64_t tasks) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t size : range.sizes)
    if (size <= tasks && std::cmp_less(sizes.size(), sizes_max)) sizes.push_back(size);
  if (!range.sizes.empty()) return sizes;
  const std::int64_t most = std::max(range.least, std::min(range.most, tasks));
  const std::int64_t steps = std::min(sizes_max - 1, most - range.least);
  for (std::int64_t i = 0; i <= steps; ++i)
    sizes.push_back(range.least + (steps == 0 ? 0 : (most - range.least) * i / steps));
  return sizes;
}

void set_switches(const ControllerConfig& config, const SwitchesWish& wish,
                  schedule::Request& request) {
  if (wish.count == 0) return;
  request.switches = wish.count;
  // 0: no limit on how long a job waits for --switches.
  const Milliseconds most = config.scheduling.max_switch_wait;
  request.switches_wait = most;
  if (!wish.wait_s || *wish.wait_s == 0) return;
  const Milliseconds asked{*wish.wait_s * 1000};
  request.switches_wait = most == Milliseconds{0} ? asked : std::min(asked, most);
}

void set_level(const TopologyWish& wish, schedule::Request& request) {
  if (wish.force != TopologyForce::Required) return;
  request.joined_gpus = wish.level == gpu_island_level;
  if (!request.joined_gpus) request.topology_level = wish.level;
}

// Returns the most ranks that the job may have on one node: --tasks-per-node, or fewer by
// --gpus-per-task and --tasks-per-gpu and the job's GPUs on each node. 0: no limit.
std::int64_t ranks_a_node(const JobSpec& spec) {
  std::int64_t most = spec.tasks_per_node;
  const auto bound = [&](std::int64_t by_gpus) {
    if (by_gpus > 0 && (most == 0 || by_gpus < most)) most = by_gpus;
  };
  if (spec.gpus_per_task > 0) bound(spec.gpus_per_node / spec.gpus_per_task);
  if (spec.tasks_per_gpu > 0) bound(spec.gpus_per_node * spec.tasks_per_gpu);
  return most;
}

// Returns a request without alternatives, to run in this partition. `partition`: null if it is no
// longer configured. `avoid`: nodes that are used only if no others fit.
schedule::Request plain_request(const ControllerConfig& config, const ParsedSpec& spec,
                                const std::vector<std::string>& avoid,
                                const PartitionConfig* partition) {
  schedule::Request request;
  request.nodes = spec.nodes;
  request.tasks = spec.tasks;
  request.tasks_per_node = ranks_a_node(spec);
  request.cpus_per_task = spec.cpus_per_task;
  request.min_cpus = spec.min_cpus;
  request.contiguous = spec.contiguous;
  request.memory_mb_per_node = spec.memory_mb_per_node;
  request.gpus_per_node = spec.gpus_per_node;
  request.gpu_milli = spec.gpu_milli;
  request.exclusive = spec.exclusive;
  request.gres = spec.terms->gres.others;
  request.licences = spec.terms->licences;
  set_switches(config, spec.terms->switches, request);
  set_level(spec.terms->topology, request);
  if (partition != nullptr) {
    request.partition_nodes = partition->nodes;
    request.exclusive = request.exclusive || partition->exclusive;
  } else {
    request.partition_gone = spec.partition;
    request.partition_nodes = {""};  // no node has the name "", so the job fits nowhere
  }
  request.nodelist = spec.nodelist;
  request.exclude = spec.exclude;
  request.whole_memory = spec.whole_memory;
  request.reservation = spec.reservation;
  request.avoid = avoid;
  return request;
}

// Returns the part of the job's range of node numbers (--nodes=MIN-MAX) that the partition allows.
NodeRange allowed_in(const PartitionConfig* partition, NodeRange range) {
  if (partition == nullptr) return range;
  NodeRange allowed = range;
  if (partition->max_nodes > 0) allowed.most = std::min(range.most, partition->max_nodes);
  allowed.least = std::max(range.least, partition->min_nodes);
  std::erase_if(allowed.sizes,
                [&](std::int64_t size) { return size < allowed.least || size > allowed.most; });
  if (!allowed.sizes.empty()) {
    allowed.least = allowed.sizes.front();
    allowed.most = allowed.sizes.back();
  }
  const bool some = allowed.least <= allowed.most && range.sizes.empty() == allowed.sizes.empty();
  // None allowed here: another partition allows the job, or the job waits with this reason.
  return some ? allowed : range;
}

std::vector<schedule::Request> sized_requests(const schedule::Request& like, const ParsedSpec& spec,
                                              const PartitionConfig* partition) {
  std::optional<NodeRange> range = spec.terms->node_range;
  if (!range || range->is_fixed()) return {like};
  *range = allowed_in(partition, std::move(*range));
  std::vector<schedule::Request> sized;
  if (!spec.tasks_asked) {
    schedule::Request& elastic = sized.emplace_back(like);
    if (range->least > elastic.nodes) {
      elastic.tasks = elastic.tasks / elastic.nodes * range->least;
      elastic.nodes = range->least;
    }
    elastic.nodes_most = range->is_fixed() ? 0 : range->most;
    elastic.sizes = range->sizes;
    return sized;
  }
  for (const std::int64_t size : sizes_of(*range, spec.tasks)) {
    schedule::Request& one = sized.emplace_back(like);
    one.nodes = size;
    one.cpus_per_task = cpus_per_task_with(one.min_cpus, one.cpus_per_task, one.tasks, size);
  }
  return sized;
}

Failure check_sizes(const ParsedSpec& spec) {
  const auto& range = spec.terms->node_range;
  if (!range) return std::nullopt;
  if (spec.tasks_asked && spec.tasks < range->least)
    return Refusal{"--ntasks=" + std::to_string(spec.tasks) + " is less than the minimum of " +
                       "--nodes, which is " + std::to_string(range->least),
                   "ask for at least as many tasks as nodes"};
  const std::int64_t per_node = std::max<std::int64_t>(spec.tasks_per_node, 1);
  if (!spec.tasks_asked && range->most * per_node > limits::tasks_per_job_max)
    return Refusal{"on the most nodes the job has " + std::to_string(range->most * per_node) +
                       " tasks; the limit is " + std::to_string(limits::tasks_per_job_max),
                   "ask for fewer nodes or fewer tasks a node"};
  return std::nullopt;
}

// Checks the features of --constraint or --prefer. `option`: its name, for the refusal.
Failure check_features(std::string_view option, const Constraint& constraint,
                       const ParsedSpec& spec) {
  if (auto failure = unreadable(*spec.terms, option)) return failure;
  const std::string name(option);
  for (const GangFeatures& features : constraint.alternatives) {
    if (!parse_constraint(format_constraint(Constraint{{features}})))
      return Refusal{name + " is too long once its brackets are expanded", "write it shorter"};
    if (features.some.size() > 1 && spec.terms->switches.count > 1)
      return Refusal{"--switches with a count above 1 cannot be combined with counted features",
                     "ask for one switch, or leave out one of the two"};
    if (features.some.size() > schedule::feature_parts_max)
      return Refusal{
          name + " counts more than " + std::to_string(schedule::feature_parts_max) + " features",
          "count fewer"};
    if (spec.nodes > 0 && features.counted_nodes() > spec.nodes)
      return Refusal{name + " counts " + std::to_string(features.counted_nodes()) +
                         " nodes, and --nodes is " + std::to_string(spec.nodes),
                     "ask for as many nodes, or count fewer"};
  }
  return std::nullopt;
}

// A list of features that the engine tries, as the user wrote it and parsed.
struct TriedFeatures {
  const std::string& text;
  const Constraint& constraint;
};

// Returns the feature lists in the order in which the engine tries them: --prefer first, if given.
std::vector<TriedFeatures> features_tried(const ParsedSpec& spec) {
  const TriedFeatures required{spec.constraint, spec.terms->constraint};
  if (spec.prefer.empty()) return {required};
  return {{spec.prefer, spec.terms->prefer}, required};
}

// Refuses a job with too many alternatives. REQUIRES: the texts of --constraint and --prefer are
// valid.
Failure check_alternatives(const ParsedSpec& spec) {
  std::size_t choices = 0;
  for (const TriedFeatures& tried : features_tried(spec))
    choices += std::max<std::size_t>(tried.constraint.alternatives.size(), 1);
  const std::size_t groups = std::max<std::size_t>(spec.terms->gpu_types.size(), 1);
  const bool sized = !spec.node_sizes.empty() && spec.tasks_asked;
  const std::size_t partitions = std::max<std::size_t>(spec.terms->partitions.size(), 1);
  const std::size_t all = choices * groups * partitions * (sized ? sizes_max : 1);
  if (all <= schedule::alternatives_max) return std::nullopt;
  return Refusal{std::string("alternatives of --constraint") +
                     (spec.prefer.empty() ? "" : " and --prefer") +
                     ", for each partition, type of GPU and number of nodes, are more than " +
                     std::to_string(schedule::alternatives_max),
                 "name fewer features, partitions, types or numbers"};
}

bool asks_for_gpus(const ParsedSpec& spec) {
  const std::vector<GresCount>& gres = spec.terms->gres.others;
  return spec.gpus_per_node > 0 || spec.gpus > 0 || spec.gpus_per_task > 0 ||
         spec.tasks_per_gpu > 0 || std::ranges::find(gres, shard, &GresCount::name) != gres.end();
}

Failure check_gpu_type(const ParsedSpec& spec) {
  if (auto failure = unreadable(*spec.terms, "--gpu-type")) return failure;
  if (spec.gpu_type.empty() || asks_for_gpus(spec)) return std::nullopt;
  return Refusal{"--gpu-type is set, but the job asks for no GPUs",
                 "ask for GPUs, like --gpus-per-node=2, or leave --gpu-type out"};
}

Failure check_joined_gpus(const ParsedSpec& spec, const TopologyWish& wish) {
  if (asks_for_gpus(spec) || wish.force != TopologyForce::Required) return std::nullopt;
  return Refusal{"--topology=required:nvlink needs GPUs, but the job asks for none",
                 "ask for GPUs, like --gpus-per-node=2, or leave --topology out"};
}

// Returns the named topology levels that the cluster's switches or blocks have.
std::vector<std::string> levels_there_are(const ControllerConfig& config) {
  std::size_t depth = 0;
  for (const auto& [node, path] : config.domains) depth = std::max(depth, path.size());
  std::vector<std::string> levels = config.scheduling.topology_levels;
  levels.resize(std::min(levels.size(), depth));
  return levels;
}

Failure check_level(const ControllerConfig& config, const ParsedSpec& spec) {
  if (auto failure = unreadable(*spec.terms, "--topology")) return failure;
  if (spec.topology.empty()) return std::nullopt;
  const TopologyWish& wish = spec.terms->topology;
  const std::string& level = wish.level;
  if (level == gpu_island_level) return check_joined_gpus(spec, wish);
  if (wish.force == TopologyForce::Required && !spec.switches.empty())
    return Refusal{"--topology=required and --switches cannot be combined",
                   "leave out one of the two"};
  const std::vector<std::string> levels = levels_there_are(config);
  if (std::ranges::find(levels, level) != levels.end()) return std::nullopt;
  std::string all = "possible: " + std::string(gpu_island_level);
  for (const std::string& name : levels) all += ", " + name;
  return Refusal{"--topology: this cluster has no level " + quoted(level), all};
}

Failure check_shards(const ControllerConfig& config, const ParsedSpec& spec) {
  for (const GresCount& gres : spec.terms->gres.others) {
    if (gres.name != shard) continue;
    if (!gres.type.empty())
      return Refusal{"--gres asks for shards of one GPU type",
                     "leave the type out, like --gres=shard:2; --gpu-type names types"};
    const std::int64_t most = config.scheduling.shards_per_gpu;
    if (spec.gpus_per_node > 0)
      return Refusal{"--gres asks for GPUs and for shards", "ask for only one of the two"};
    if (gres.count > most)
      return Refusal{"--gres=shard:" + std::to_string(gres.count) + " is more than the " +
                         std::to_string(most) + " shards of a GPU",
                     "ask for whole GPUs, like --gres=gpu:1"};
  }
  return std::nullopt;
}

Failure check_part(const JobSpec& spec) {
  if (spec.gpu_milli < 1 || spec.gpu_milli > gpu_whole)
    return Refusal{"the part of a GPU is " + std::to_string(spec.gpu_milli) + " thousandths",
                   "it may be 1 to 1000"};
  if (spec.gpu_milli == gpu_whole || spec.gpus_per_node == 1) return std::nullopt;
  return Refusal{"a part of a GPU is asked for " + std::to_string(spec.gpus_per_node) + " times",
                 "ask for one, like --gres=gpu:0.25"};
}

Failure check_time_min(const JobSpec& spec) {
  if (spec.time_min_s < 0 || spec.time_min_s > limits::time_limit_s_max)
    return Refusal{"--time-min is " + std::to_string(spec.time_min_s) + " s",
                   "it may be up to " + std::to_string(limits::time_limit_s_max) + " s"};
  if (spec.time_min_s > 0 && spec.time_limit_s > 0 && spec.time_min_s > spec.time_limit_s)
    return Refusal{"--time-min is longer than --time",
                   "it is the shortest time limit that the job accepts"};
  if (spec.nice < -limits::nice_max || spec.nice > limits::nice_max)
    return Refusal{"--nice is " + std::to_string(spec.nice) + "; it may be from -" +
                       std::to_string(limits::nice_max) + " to " + std::to_string(limits::nice_max),
                   "it is taken off the priority: 50 is less urgent, -50 more"};
  return std::nullopt;
}

}  // namespace

namespace {

std::vector<schedule::Request> alternatives_of(const ControllerConfig& config,
                                               const ParsedSpec& spec,
                                               const std::vector<std::string>& avoid,
                                               const Partitions& partitions) {
  std::vector<schedule::Request> all;
  const auto add = [&](const PartitionConfig* partition, const TriedFeatures& tried) {
    const schedule::Request plain = plain_request(config, spec, avoid, partition);
    for (schedule::Request& sized : sized_requests(plain, spec, partition)) {
      sized.constraint = tried.text;
      auto more =
          schedule::alternatives(sized, groups_of(config, spec, partition), tried.constraint);
      all.insert(all.end(), more.begin(), more.end());
    }
  };
  const std::vector<TriedFeatures> lists = features_tried(spec);
  for (const PartitionConfig* partition : partitions)
    for (const TriedFeatures& tried : lists) add(partition, tried);
  if (partitions.empty())
    for (const TriedFeatures& tried : lists) add(nullptr, tried);
  return all;
}

}  // namespace

Shared<schedule::Request> make_request(const ControllerConfig& config, const ParsedSpec& spec,
                                       const std::vector<std::string>& avoid,
                                       const Partitions& partitions) {
  std::vector<schedule::Request> all = alternatives_of(config, spec, avoid, partitions);
  if (spec.components.empty()) return schedule::chained(std::move(all));
  std::vector<std::vector<schedule::Request>> components{std::move(all)};
  for (std::int64_t i = 1; i < component_count(spec); ++i) {
    ParsedSpec one = component_spec(spec, i);
    drop_licences(one);  // the licences of all components are counted in component 0
    components.push_back(
        alternatives_of(config, one, avoid, partitions_of(config, one.terms->partitions)));
  }
  return schedule::chained(schedule::combined(components, schedule::alternatives_max));
}

Shared<schedule::Request> make_request(const ControllerConfig& config, const ParsedSpec& spec,
                                       const std::vector<std::string>& avoid) {
  return make_request(config, spec, avoid, partitions_of(config, spec.terms->partitions));
}

Failure check_wishes(const ControllerConfig& config, const ParsedSpec& spec) {
  const JobTerms& terms = *spec.terms;
  if (auto f = unreadable(terms, "--gres")) return f;
  if (auto f = check_gpu_type(spec)) return f;
  for (const std::string_view option : {"--gpu-choice", "--licenses", "--nodes", "--switches"})
    if (auto f = unreadable(terms, option)) return f;
  if (auto f = check_sizes(spec)) return f;
  if (auto f = check_features("--constraint", terms.constraint, spec)) return f;
  if (auto f = check_features("--prefer", terms.prefer, spec)) return f;
  if (auto f = check_alternatives(spec)) return f;
  if (auto f = check_level(config, spec)) return f;
  if (auto f = check_shards(config, spec)) return f;
  if (auto f = check_part(spec)) return f;
  return check_time_min(spec);
}

namespace {

// Returns the most nodes that one of the feature lists counts (as "[a*2]" does); 0 if none counts
// nodes.
std::int64_t counted_nodes(const ParsedSpec& spec) {
  std::int64_t most = 0;
  for (const TriedFeatures& tried : features_tried(spec))
    for (const GangFeatures& features : tried.constraint.alternatives)
      most = std::max(most, features.counted_nodes());
  return most;
}

}  // namespace

void resolve_wishes(const ControllerConfig& config, ParsedSpec& spec) {
  JobTerms& terms = spec.terms.change();
  if (const auto range = terms.node_range) {
    spec.nodes = range->least;
    if (!spec.tasks_asked) spec.tasks = 0;  // 0: resolve_size() derives it from the number of nodes
    if (range->is_fixed()) {
      spec.node_sizes.clear();
      terms.node_range.reset();
    }
  }
  if (spec.nodes == 0) spec.nodes = counted_nodes(spec);
  GresWish others{{}, {}};
  for (GresCount& gres : terms.gres.others) {
    if (gres.name != shard) {
      others.others.push_back(std::move(gres));
      continue;
    }
    const std::int64_t per_gpu = config.scheduling.shards_per_gpu;
    spec.gpus_per_node = 1;
    spec.gpu_milli = static_cast<std::int32_t>((gres.count * gpu_whole + per_gpu - 1) / per_gpu);
  }
  spec.gres = others.others.empty() ? "" : format_gres(others);
  terms.gres = std::move(others);
}

std::string hint_for_impossible(const std::string& why, const std::string& see) {
  const auto has = [&](std::string_view part) { return why.find(part) != std::string::npos; };
  const std::string lists = see + " for what there is";
  if (has("ask for ")) return lists;
  if (has(", which is no node of ") || has("; available ") || has("; did you mean ") ||
      has("; the cluster has none") || has("; the cluster has only those of ") ||
      has("; no node has any ") || has(" has it"))
    return "correct the name; " + lists;
  if (has(" has them together")) return "ask for features that one node has; " + lists;
  if (has("; there is none")) return "ask for other nodes; " + lists;
  return lists + ", and ask for less";
}

}  // namespace cox
