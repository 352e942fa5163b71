#include "controller/request.h"

#include <algorithm>

#include "common/gres.h"
#include "common/limits.h"
#include "common/nearest.h"
#include "common/node_range.h"
#include "common/text.h"
#include "common/topology_wish.h"
#include "schedule/alternatives.h"
#include "schedule/feature_parts.h"

namespace cox {
namespace {

constexpr std::string_view shard = "shard";

std::vector<GresCount> gres_in(const JobSpec& spec) {
  if (spec.gres.empty()) return {};
  const auto wish = parse_gres(spec.gres);
  return wish ? wish->others : std::vector<GresCount>{};
}

Preference choice_of(const ControllerConfig& config, const JobSpec& spec) {
  if (const auto asked = parse_preference(spec.gpu_choice)) return *asked;
  const PartitionConfig* partition = partition_of(config, spec.partition);
  if (partition != nullptr && partition->gpu_choice) return *partition->gpu_choice;
  return config.scheduling.gpu_choice;
}

std::vector<std::vector<std::string>> groups_of(const ControllerConfig& config,
                                                const JobSpec& spec) {
  if (spec.gpu_type.empty()) return {};
  const auto types = parse_gpu_types(spec.gpu_type);
  if (!types) return {{spec.gpu_type}};
  return schedule::gpu_groups(*types, config.scheduling.gpu_prices, choice_of(config, spec));
}

// Of a job that says its number of tasks: any of these numbers of nodes, the fewest first.
std::vector<std::int64_t> sizes_of(const NodeRange& range, std::int64_t tasks) {
  constexpr std::int64_t sizes_max = 8;
  if (!range.sizes.empty()) return range.sizes;
  std::vector<std::int64_t> sizes;
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
  request.switches_wait =
      wish->wait_s ? Milliseconds{*wish->wait_s * 1000} : config.scheduling.max_switch_wait;
}

void set_level(const JobSpec& spec, schedule::Request& request) {
  if (spec.topology.empty()) return;
  const auto wish = parse_topology_wish(spec.topology);
  if (wish && wish->force == TopologyForce::Required) request.topology_level = wish->level;
}

schedule::Request plain_request(const ControllerConfig& config, const JobSpec& spec,
                                std::vector<std::string> avoid) {
  schedule::Request request;
  request.nodes = spec.nodes;
  request.tasks = spec.tasks;
  request.tasks_per_node = spec.tasks_per_node;
  request.cpus_per_task = spec.cpus_per_task;
  request.memory_mb_per_node = spec.memory_mb_per_node;
  request.gpus_per_node = spec.gpus_per_node;
  request.gpu_milli = spec.gpu_milli;
  request.exclusive = spec.exclusive;
  request.gres = gres_in(spec);
  if (!spec.licences.empty())
    if (const auto licences = parse_licences(spec.licences)) request.licences = *licences;
  set_switches(config, spec, request);
  set_level(spec, request);
  if (const auto* partition = partition_of(config, spec.partition)) {
    request.partition_nodes = partition->nodes;
  } else {
    request.partition_gone = spec.partition;
    request.partition_nodes = {""};  // no node has this name, so it is placed nowhere
  }
  request.nodelist = spec.nodelist;
  request.avoid = std::move(avoid);
  return request;
}

std::vector<schedule::Request> sized_requests(const schedule::Request& like, const JobSpec& spec) {
  const auto range = parse_node_range(spec.node_sizes);
  if (spec.node_sizes.empty() || !range || range->is_fixed()) return {like};
  std::vector<schedule::Request> sized;
  if (!spec.tasks_asked) {
    schedule::Request& elastic = sized.emplace_back(like);
    elastic.nodes_most = range->most;
    elastic.sizes = range->sizes;
    return sized;
  }
  for (const std::int64_t size : sizes_of(*range, spec.tasks)) {
    sized.push_back(like);
    sized.back().nodes = size;
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

Failure check_constraint(const JobSpec& spec) {
  if (auto failure = unreadable("--constraint", spec.constraint, parse_constraint)) return failure;
  const auto constraint = parse_constraint(spec.constraint);
  const std::size_t groups = parse_gpu_types(spec.gpu_type).ok()
                                 ? std::max<std::size_t>(parse_gpu_types(spec.gpu_type)->size(), 1)
                                 : 1;
  if (constraint->alternatives.size() * groups > schedule::alternatives_max)
    return Refusal{"alternatives of --constraint, for each type of GPU, are more than " +
                       std::to_string(schedule::alternatives_max),
                   "name fewer features or fewer types"};
  for (const GangFeatures& features : constraint->alternatives) {
    if (features.some.size() > schedule::feature_parts_max)
      return Refusal{"--constraint counts more than " +
                         std::to_string(schedule::feature_parts_max) + " features",
                     "count fewer"};
    if (spec.nodes > 0 && features.counted_nodes() > spec.nodes && spec.node_sizes.empty())
      return Refusal{"--constraint counts " + std::to_string(features.counted_nodes()) +
                         " nodes, and --nodes is " + std::to_string(spec.nodes),
                     "ask for as many nodes, or count fewer"};
  }
  return std::nullopt;
}

Failure check_level(const ControllerConfig& config, const JobSpec& spec) {
  if (auto failure = unreadable("--topology", spec.topology, parse_topology_wish)) return failure;
  if (spec.topology.empty()) return std::nullopt;
  const std::string level = parse_topology_wish(spec.topology)->level;
  const auto& levels = config.scheduling.topology_levels;
  if (level.empty() || std::ranges::find(levels, level) != levels.end()) return std::nullopt;
  std::string all;
  for (const std::string& name : levels) all += (all.empty() ? "there is: " : ", ") + name;
  return Refusal{"--topology: this cluster has no level " + quoted(level),
                 all.empty() ? "it has no topology: leave --topology out" : all};
}

Failure check_shards(const ControllerConfig& config, const JobSpec& spec) {
  for (const GresCount& gres : gres_in(spec)) {
    if (gres.name != shard) continue;
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
    return Refusal{"--nice is " + std::to_string(spec.nice),
                   "it may be from -" + std::to_string(limits::nice_max) + " to " +
                       std::to_string(limits::nice_max)};
  return std::nullopt;
}

}  // namespace

const PartitionConfig* partition_of(const ControllerConfig& config, const std::string& name) {
  for (const auto& p : config.partitions)
    if (name.empty() ? p.is_default : p.name == name) return &p;
  return nullptr;
}

Shared<schedule::Request> request_of(const ControllerConfig& config, const JobSpec& spec,
                                     std::vector<std::string> avoid) {
  const auto constraint = parse_constraint(spec.constraint);
  std::vector<schedule::Request> all;
  for (schedule::Request& sized :
       sized_requests(plain_request(config, spec, std::move(avoid)), spec)) {
    sized.constraint = spec.constraint;
    auto more = schedule::alternatives(sized, groups_of(config, spec),
                                       constraint ? *constraint : Constraint{});
    all.insert(all.end(), more.begin(), more.end());
  }
  return schedule::chained(std::move(all));
}

Failure check_wishes(const ControllerConfig& config, const JobSpec& spec) {
  if (auto f = unreadable("--gpu-type", spec.gpu_type, parse_gpu_types)) return f;
  if (auto f = unreadable("--gpu-choice", spec.gpu_choice, parse_preference)) return f;
  if (auto f = unreadable("--gres", spec.gres, parse_gres)) return f;
  if (auto f = unreadable("--licenses", spec.licences, parse_licences)) return f;
  if (auto f = unreadable("--nodes", spec.node_sizes, parse_node_range)) return f;
  if (auto f = unreadable("--switches", spec.switches, parse_switches)) return f;
  if (auto f = check_constraint(spec)) return f;
  if (auto f = check_level(config, spec)) return f;
  if (auto f = check_shards(config, spec)) return f;
  if (auto f = check_part(spec)) return f;
  return check_time_min(spec);
}

void settle_wishes(const ControllerConfig& config, JobSpec& spec) {
  if (const auto range = parse_node_range(spec.node_sizes); !spec.node_sizes.empty() && range) {
    spec.nodes = range->least;
    if (range->is_fixed()) spec.node_sizes.clear();
  }
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

}  // namespace cox
