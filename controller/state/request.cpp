#include "controller/state/request.h"

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/gpu_islands.h"
#include "common/resources/gres.h"
#include "common/syntax/min_cpus.h"
#include "common/syntax/node_range.h"
#include "common/syntax/partition_list.h"
#include "common/syntax/topology_wish.h"
#include "schedule/place/alternatives.h"
#include "schedule/place/components.h"
#include "schedule/place/feature_parts.h"

namespace cox {
namespace {

constexpr std::string_view shard = "shard";
constexpr std::int64_t sizes_max = 8;  // that a job with a number of tasks is tried with

std::vector<GresCount> gres_in(const JobSpec& spec) {
  if (spec.gres.empty()) return {};
  const auto wish = parse_gres(spec.gres);
  return wish ? wish->others : std::vector<GresCount>{};
}

Preference choice_of(const ControllerConfig& config, const JobSpec& spec,
                     const PartitionConfig* partition) {
  if (const auto asked = parse_preference(spec.gpu_choice)) return *asked;
  if (partition != nullptr && partition->gpu_choice) return *partition->gpu_choice;
  return config.scheduling.gpu_choice;
}

std::vector<std::vector<std::string>> groups_of(const ControllerConfig& config, const JobSpec& spec,
                                                const PartitionConfig* partition) {
  if (spec.gpu_type.empty()) return {};
  const auto types = parse_gpu_types(spec.gpu_type);
  if (!types) return {{spec.gpu_type}};
  const bool one_gpu = spec.nodes <= 1 && spec.node_sizes.empty() && spec.gpus_per_node <= 1;
  return schedule::gpu_groups(
      *types, config.scheduling.gpu_prices, choice_of(config, spec, partition),
      one_gpu ? schedule::EqualTypes::Together : schedule::EqualTypes::Apart);
}

// Of a job that says its number of tasks: any of these numbers of nodes, the fewest first.
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

void set_switches(const ControllerConfig& config, const JobSpec& spec, schedule::Request& request) {
  if (spec.switches.empty()) return;
  const auto wish = parse_switches(spec.switches);
  if (!wish) return;
  request.switches = wish->count;
  const Milliseconds most = config.scheduling.max_switch_wait;  // 0: however long it takes
  request.switches_wait = most;
  if (!wish->wait_s || *wish->wait_s == 0) return;
  const Milliseconds asked{*wish->wait_s * 1000};
  request.switches_wait = most == Milliseconds{0} ? asked : std::min(asked, most);
}

void set_level(const JobSpec& spec, schedule::Request& request) {
  if (spec.topology.empty()) return;
  const auto wish = parse_topology_wish(spec.topology);
  if (!wish || wish->force != TopologyForce::Required) return;
  request.joined_gpus = wish->level == gpu_island_level;
  if (!request.joined_gpus) request.topology_level = wish->level;
}

// Ranks that are to have GPUs of their own are no more on a node than its GPUs will do for.
std::int64_t ranks_a_node(const JobSpec& spec) {
  std::int64_t most = spec.tasks_per_node;
  const auto bound = [&](std::int64_t by_gpus) {
    if (by_gpus > 0 && (most == 0 || by_gpus < most)) most = by_gpus;
  };
  if (spec.gpus_per_task > 0) bound(spec.gpus_per_node / spec.gpus_per_task);
  if (spec.tasks_per_gpu > 0) bound(spec.gpus_per_node * spec.tasks_per_gpu);
  return most;
}

// `partition`: null when it is no longer configured.
schedule::Request plain_request(const ControllerConfig& config, const JobSpec& spec,
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
  request.gres = gres_in(spec);
  if (!spec.licences.empty())
    if (const auto licences = parse_licences(spec.licences)) request.licences = *licences;
  set_switches(config, spec, request);
  set_level(spec, request);
  if (partition != nullptr) {
    request.partition_nodes = partition->nodes;
    request.exclusive = request.exclusive || partition->exclusive;
  } else {
    request.partition_gone = spec.partition;
    request.partition_nodes = {""};  // no node has this name, so it is placed nowhere
  }
  request.nodelist = spec.nodelist;
  request.exclude = spec.exclude;
  request.whole_memory = spec.whole_memory;
  request.reservation = spec.reservation;
  request.avoid = avoid;
  return request;
}

// Of the numbers of nodes that the job would take those that the partition allows.
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
  return some ? allowed : range;  // it is accepted for another one's sake, or waits
}

std::vector<schedule::Request> sized_requests(const schedule::Request& like, const JobSpec& spec,
                                              const PartitionConfig* partition) {
  auto range = parse_node_range(spec.node_sizes);
  if (spec.node_sizes.empty() || !range || range->is_fixed()) return {like};
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

template <class Parse>
Failure unreadable(std::string_view option, const std::string& text, Parse parse) {
  if (text.empty()) return std::nullopt;
  if (text.size() > limits::wish_bytes_max)
    return Refusal{std::string(option) + " has " + std::to_string(text.size()) +
                       " bytes; the limit is " + std::to_string(limits::wish_bytes_max),
                   "make it shorter"};
  const auto parsed = parse(text);
  if (parsed) return std::nullopt;
  return Refusal{std::string(option) + ": " + parsed.refusal().fact, parsed.refusal().hint};
}

bool several_switches(const JobSpec& spec) {
  const auto wish = parse_switches(spec.switches);
  return !spec.switches.empty() && wish && wish->count > 1;
}

Failure check_sizes(const JobSpec& spec) {
  const auto range = parse_node_range(spec.node_sizes);
  if (spec.node_sizes.empty() || !range) return std::nullopt;
  if (spec.tasks_asked && spec.tasks < range->least)
    return Refusal{"--ntasks is " + std::to_string(spec.tasks) + ", and --nodes at least " +
                       std::to_string(range->least),
                   "ask for as many tasks as nodes, or more"};
  const std::int64_t per_node = std::max<std::int64_t>(spec.tasks_per_node, 1);
  if (!spec.tasks_asked && range->most * per_node > limits::tasks_per_job_max)
    return Refusal{"the most nodes have " + std::to_string(range->most * per_node) +
                       " tasks; the limit is " + std::to_string(limits::tasks_per_job_max),
                   "ask for fewer nodes or fewer tasks a node"};
  return std::nullopt;
}

// Checks --constraint or --prefer.
Failure check_features(std::string_view option, const std::string& text, const JobSpec& spec) {
  if (auto failure = unreadable(option, text, parse_constraint)) return failure;
  const std::string name(option);
  const auto constraint = parse_constraint(text);
  for (const GangFeatures& features : constraint->alternatives) {
    if (!parse_constraint(format_constraint(Constraint{{features}})))
      return Refusal{name + " is too long once its brackets are expanded", "write it shorter"};
    if (features.some.size() > 1 && several_switches(spec))
      return Refusal{"--switches of several goes with no counted features",
                     "ask for one switch, or leave one of both out"};
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

// Returns the feature lists in the order in which they are tried.
std::vector<std::string> features_tried(const JobSpec& spec) {
  if (spec.prefer.empty()) return {spec.constraint};
  return {spec.prefer, spec.constraint};
}

// Checks the number of alternatives. REQUIRES: both texts are valid.
Failure check_alternatives(const JobSpec& spec) {
  std::size_t choices = 0;
  for (const std::string& text : features_tried(spec))
    choices += std::max<std::size_t>(parse_constraint(text)->alternatives.size(), 1);
  const auto types = parse_gpu_types(spec.gpu_type);
  const std::size_t groups = types ? std::max<std::size_t>(types->size(), 1) : 1;
  const bool sized = !spec.node_sizes.empty() && spec.tasks_asked;
  const std::size_t partitions = std::max<std::size_t>(partition_names(spec.partition).size(), 1);
  const std::size_t all = choices * groups * partitions * (sized ? sizes_max : 1);
  if (all <= schedule::alternatives_max) return std::nullopt;
  return Refusal{std::string("alternatives of --constraint") +
                     (spec.prefer.empty() ? "" : " and --prefer") +
                     ", for each partition, type of GPU and number of nodes, are more than " +
                     std::to_string(schedule::alternatives_max),
                 "name fewer features, partitions, types or numbers"};
}

bool asks_for_gpus(const JobSpec& spec) {
  const auto gres = gres_in(spec);
  return spec.gpus_per_node > 0 || spec.gpus > 0 || spec.gpus_per_task > 0 ||
         spec.tasks_per_gpu > 0 || std::ranges::find(gres, shard, &GresCount::name) != gres.end();
}

Failure check_gpu_type(const JobSpec& spec) {
  if (auto failure = unreadable("--gpu-type", spec.gpu_type, parse_gpu_types)) return failure;
  if (spec.gpu_type.empty() || asks_for_gpus(spec)) return std::nullopt;
  return Refusal{"--gpu-type says which GPUs will do, and the job asks for none",
                 "ask for GPUs, like --gpus-per-node=2, or leave --gpu-type out"};
}

Failure check_joined_gpus(const JobSpec& spec, const TopologyWish& wish) {
  if (asks_for_gpus(spec) || wish.force != TopologyForce::Required) return std::nullopt;
  return Refusal{"--topology=required:nvlink wants GPUs joined, and the job asks for none",
                 "ask for GPUs, like --gpus-per-node=2, or leave --topology out"};
}

// Of the levels that have names those that the switches or blocks have.
std::vector<std::string> levels_there_are(const ControllerConfig& config) {
  std::size_t depth = 0;
  for (const auto& [node, path] : config.domains) depth = std::max(depth, path.size());
  std::vector<std::string> levels = config.scheduling.topology_levels;
  levels.resize(std::min(levels.size(), depth));
  return levels;
}

Failure check_level(const ControllerConfig& config, const JobSpec& spec) {
  if (auto failure = unreadable("--topology", spec.topology, parse_topology_wish)) return failure;
  if (spec.topology.empty()) return std::nullopt;
  const TopologyWish wish = *parse_topology_wish(spec.topology);
  const std::string& level = wish.level;
  if (level == gpu_island_level) return check_joined_gpus(spec, wish);
  if (wish.force == TopologyForce::Required && !spec.switches.empty())
    return Refusal{"--topology=required and --switches say the same in two ways",
                   "leave one of both out"};
  const std::vector<std::string> levels = levels_there_are(config);
  if (std::ranges::find(levels, level) != levels.end()) return std::nullopt;
  std::string all = "there is: " + std::string(gpu_island_level);
  for (const std::string& name : levels) all += ", " + name;
  return Refusal{"--topology: this cluster has no level " + quoted(level), all};
}

Failure check_shards(const ControllerConfig& config, const JobSpec& spec) {
  for (const GresCount& gres : gres_in(spec)) {
    if (gres.name != shard) continue;
    if (!gres.type.empty())
      return Refusal{"--gres asks for shards of one GPU type",
                     "leave the type out, like --gres=shard:2; --gpu-type names types"};
    const std::int64_t most = config.scheduling.shards_per_gpu;
    if (spec.gpus_per_node > 0)
      return Refusal{"--gres asks for GPUs and for shards of one", "ask for one of both"};
    if (gres.count > most)
      return Refusal{"--gres=shard:" + std::to_string(gres.count) +
                         " is more than one GPU, which " + "has " + std::to_string(most),
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
                   "it may be up to " + std::to_string(limits::time_limit_s_max)};
  if (spec.time_min_s > 0 && spec.time_limit_s > 0 && spec.time_min_s > spec.time_limit_s)
    return Refusal{"--time-min is longer than --time", "it is the shortest limit that will do"};
  if (spec.nice < -limits::nice_max || spec.nice > limits::nice_max)
    return Refusal{"--nice is " + std::to_string(spec.nice) + "; it may be from -" +
                       std::to_string(limits::nice_max) + " to " + std::to_string(limits::nice_max),
                   "it is taken off the priority: 50 is less urgent, -50 more"};
  return std::nullopt;
}

}  // namespace

namespace {

std::vector<schedule::Request> alternatives_of(const ControllerConfig& config, const JobSpec& spec,
                                               const std::vector<std::string>& avoid,
                                               const Partitions& partitions) {
  std::vector<schedule::Request> all;
  const auto add = [&](const PartitionConfig* partition, const std::string& text) {
    const auto constraint = parse_constraint(text);
    const schedule::Request plain = plain_request(config, spec, avoid, partition);
    for (schedule::Request& sized : sized_requests(plain, spec, partition)) {
      sized.constraint = text;
      auto more = schedule::alternatives(sized, groups_of(config, spec, partition),
                                         constraint ? *constraint : Constraint{});
      all.insert(all.end(), more.begin(), more.end());
    }
  };
  const std::vector<std::string> texts = features_tried(spec);
  for (const PartitionConfig* partition : partitions)
    for (const std::string& text : texts) add(partition, text);
  if (partitions.empty())
    for (const std::string& text : texts) add(nullptr, text);
  return all;
}

}  // namespace

Shared<schedule::Request> make_request(const ControllerConfig& config, const JobSpec& spec,
                                       const std::vector<std::string>& avoid,
                                       const Partitions& partitions) {
  std::vector<schedule::Request> all = alternatives_of(config, spec, avoid, partitions);
  if (spec.components.empty()) return schedule::chained(std::move(all));
  std::vector<std::vector<schedule::Request>> components{std::move(all)};
  for (std::int64_t i = 1; i < component_count(spec); ++i) {
    JobSpec one = component_spec(spec, i);
    one.licences.clear();  // the first has those of all
    components.push_back(alternatives_of(config, one, avoid, partitions_of(config, one.partition)));
  }
  return schedule::chained(schedule::combined(components, schedule::alternatives_max));
}

Shared<schedule::Request> make_request(const ControllerConfig& config, const JobSpec& spec,
                                       const std::vector<std::string>& avoid) {
  return make_request(config, spec, avoid, partitions_of(config, spec.partition));
}

Failure check_wishes(const ControllerConfig& config, const JobSpec& spec) {
  if (auto f = unreadable("--gres", spec.gres, parse_gres)) return f;
  if (auto f = check_gpu_type(spec)) return f;
  if (auto f = unreadable("--gpu-choice", spec.gpu_choice, parse_preference)) return f;
  if (auto f = unreadable("--licenses", spec.licences, parse_licences)) return f;
  if (auto f = unreadable("--nodes", spec.node_sizes, parse_node_range)) return f;
  if (auto f = unreadable("--switches", spec.switches, parse_switches)) return f;
  if (auto f = check_sizes(spec)) return f;
  if (auto f = check_features("--constraint", spec.constraint, spec)) return f;
  if (auto f = check_features("--prefer", spec.prefer, spec)) return f;
  if (auto f = check_alternatives(spec)) return f;
  if (auto f = check_level(config, spec)) return f;
  if (auto f = check_shards(config, spec)) return f;
  if (auto f = check_part(spec)) return f;
  return check_time_min(spec);
}

namespace {

// Returns the most nodes that one of the texts counts; 0 if no text counts nodes.
std::int64_t counted_nodes(const JobSpec& spec) {
  std::int64_t most = 0;
  for (const std::string& text : features_tried(spec))
    if (const auto constraint = parse_constraint(text))
      for (const GangFeatures& features : constraint->alternatives)
        most = std::max(most, features.counted_nodes());
  return most;
}

}  // namespace

void settle_wishes(const ControllerConfig& config, JobSpec& spec) {
  if (const auto range = parse_node_range(spec.node_sizes); !spec.node_sizes.empty() && range) {
    spec.nodes = range->least;
    if (!spec.tasks_asked) spec.tasks = 0;  // as many on each node, however many nodes
    if (range->is_fixed()) spec.node_sizes.clear();
  }
  if (spec.nodes == 0) spec.nodes = counted_nodes(spec);
  GresWish others{{}, {}};
  for (const GresCount& gres : gres_in(spec)) {
    if (gres.name != shard) {
      others.others.push_back(gres);
      continue;
    }
    const std::int64_t per_gpu = config.scheduling.shards_per_gpu;
    spec.gpus_per_node = 1;
    spec.gpu_milli = static_cast<std::int32_t>((gres.count * gpu_whole + per_gpu - 1) / per_gpu);
  }
  spec.gres = others.others.empty() ? "" : format_gres(others);
}

std::string hint_of_impossible(const std::string& why, const std::string& see) {
  const bool says_less = why.find("ask for ") != std::string::npos;
  return see + " for what there is" + (says_less ? "" : ", and ask for less");
}

}  // namespace cox
