#include "simulate/trace/cluster.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/cluster/gpu_islands.h"
#include "simulate/trace/lines.h"

namespace cox::simulate {
namespace {

constexpr std::int64_t nodes_max = 1'000'000;
// most CPUs of one node; with procs= one node stands for the whole machine
constexpr std::int64_t cpus_max = 100'000'000;
constexpr std::int64_t gpus_max = 64;
constexpr std::int64_t cpus_per_gpu_default = 16;

const std::vector<std::string_view> spec_keys = {"procs", "nodes",  "gpus",
                                                 "cpus",  "memory", "type"};

using Words = std::map<std::string, std::string, std::less<>>;

Result<Words> split_spec(std::string_view spec) {
  Words words;
  while (!spec.empty()) {
    const std::string_view part = spec.substr(0, spec.find(','));
    spec.remove_prefix(std::min(part.size() + 1, spec.size()));
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    if (std::ranges::find(spec_keys, key) == spec_keys.end())
      return Refusal{"--cluster: unknown " + quoted(part),
                     did_you_mean(key, spec_keys).empty()
                         ? "there are procs=, nodes=, cpus=, memory=, gpus= and type="
                         : did_you_mean(key, spec_keys)};
    if (equals == part.npos || equals + 1 == part.size())
      return Refusal{"--cluster has " + quoted(part) + " without a value", ""};
    words[std::string(key)] = part.substr(equals + 1);
  }
  return words;
}

Result<std::int64_t> count_in(const Words& words, std::string_view key, std::int64_t default_count,
                              std::int64_t least, std::int64_t most) {
  const auto found = words.find(key);
  if (found == words.end()) return default_count;
  const auto number = whole_number(found->second);
  if (number && *number >= least && *number <= most) return *number;
  return Refusal{"--cluster: " + std::string(key) + " is " + quoted(found->second) +
                     "; it must be a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 ""};
}

Result<std::int64_t> memory_in(const Words& words) {
  const auto found = words.find("memory");
  if (found == words.end()) return memory_unlimited_mb;
  std::string_view text = found->second;
  constexpr std::string_view units = "MGT";
  std::int64_t factor = 1;
  if (const auto unit = units.find(text.back()); unit != units.npos) {
    for (std::size_t i = 0; i < unit; ++i) factor *= 1024;
    text.remove_suffix(1);
  }
  const auto number = whole_number(text);
  if (number && *number >= 1 && *number <= memory_unlimited_mb / factor) return *number * factor;
  return Refusal{"--cluster: memory is " + quoted(found->second),
                 "give a number of MB, or a number with M, G or T: memory=512G"};
}

Result<Cluster> equal_nodes(const Words& words) {
  const auto nodes = count_in(words, "nodes", 1, 1, nodes_max);
  if (!nodes) return nodes.refusal();
  const auto gpus = count_in(words, "gpus", 0, 0, gpus_max);
  if (!gpus) return gpus.refusal();
  const auto cpus =
      count_in(words, "cpus", std::max<std::int64_t>(1, *gpus * cpus_per_gpu_default), 1, cpus_max);
  if (!cpus) return cpus.refusal();
  const auto memory = memory_in(words);
  if (!memory) return memory.refusal();
  const auto type = words.find("type");
  ClusterNode node;
  node.cpu_milli = *cpus * 1'000;
  node.memory_mb = *memory;
  node.gpus.assign(static_cast<std::size_t>(*gpus), type == words.end() ? "" : type->second);
  Cluster cluster;
  for (std::int64_t i = 1; i <= *nodes; ++i) {
    node.name = "n" + std::to_string(i);
    cluster.nodes.push_back(node);
  }
  return cluster;
}

std::int64_t ceiling(std::int64_t whole_number_in, std::int64_t part) {
  return part > 0 ? (whole_number_in + part - 1) / part : 1;
}

}  // namespace

std::int64_t Cluster::cpu_milli() const {
  std::int64_t sum = 0;
  for (const ClusterNode& node : nodes) sum += node.cpu_milli;
  return sum;
}

std::int64_t Cluster::gpus() const {
  std::int64_t sum = 0;
  for (const ClusterNode& node : nodes) sum += std::ssize(node.gpus);
  return sum;
}

Result<Cluster> parse_cluster(std::string_view spec) {
  auto words = split_spec(spec);
  if (!words) return words.refusal();
  if (words->contains("procs")) {
    if (words->size() > 1)
      return Refusal{"--cluster: procs= must stand alone", "or use nodes= and cpus="};
    const auto procs = count_in(*words, "procs", 1, 1, cpus_max);
    if (!procs) return procs.refusal();
    return equal_nodes({{"cpus", std::to_string(*procs)}});
  }
  if (!words->contains("nodes"))
    return Refusal{"--cluster has neither procs= nor nodes=", "use for example nodes=8,gpus=8"};
  return equal_nodes(*words);
}

Result<Cluster> cluster_of_table(std::string_view csv) {
  auto opened = CsvTable::open(csv, {"sn", "cpu_milli", "memory_mib", "gpu", "model"});
  if (!opened) return opened.refusal();
  CsvTable& table = *opened;
  Cluster cluster;
  std::set<std::string, std::less<>> names;
  while (table.next()) {
    ClusterNode node;
    node.name = table.text("sn");
    node.cpu_milli = table.whole_number_in("cpu_milli", 0, count_max);
    node.memory_mb = table.whole_number_in("memory_mib", 0, count_max);
    const auto gpus = table.whole_number_in("gpu", 0, gpus_max);
    node.gpus.assign(static_cast<std::size_t>(gpus), std::string(table.text("model")));
    if (node.name.empty() || !names.insert(node.name).second)
      table.record_problem("sn is " + quoted(node.name) + ": each node needs a unique name");
    if (std::ssize(cluster.nodes) == nodes_max)
      table.record_problem("there are more than " + std::to_string(nodes_max) + " nodes");
    cluster.nodes.push_back(std::move(node));
  }
  if (table.problem()) return *table.problem();
  if (cluster.nodes.empty()) return Refusal{"the table has no node", ""};
  return cluster;
}

namespace {

Result<ClusterNode> node_of(const std::string& name, const WorkerConfig& worker,
                            const DomainPaths& domains) {
  if (worker.cpus <= 0)
    return Refusal{"the configuration does not say how many CPUs node " + name + " has",
                   "set cpus, and memory and gres, in its [worker] table or a [[node]]"};
  ClusterNode node;
  node.name = name;
  node.cpu_milli = worker.cpus * 1'000;
  if (worker.memory_mb > 0) node.memory_mb = worker.memory_mb;
  std::vector<GpuDevice> gpus = worker.gpus;
  if (const Failure wrong = join_gpus(worker.gpu_links, gpus))
    return Refusal{"gpu_links of node " + name + " " + wrong->fact, wrong->hint};
  for (const GpuDevice& device : gpus) {
    node.gpus.push_back(device.type);
    node.islands.push_back(device.island);
  }
  node.features = worker.features;
  std::ranges::sort(node.features);
  if (const auto wired = domains.find(name); wired != domains.end()) node.domains = wired->second;
  return node;
}

}  // namespace

Result<Cluster> cluster_of_config(const ControllerConfig& config, const Workers& workers) {
  if (workers.empty())
    return Refusal{"the configuration names no nodes",
                   "give a [[partition]] its nodes, describe them as [[node]], or use --cluster "
                   "nodes=N,cpus=N,gpus=N"};
  Cluster cluster;
  for (const PartitionConfig& partition : config.partitions)
    cluster.partitions.push_back({partition.name, partition.nodes});
  for (const auto& [name, worker] : workers) {
    auto node = node_of(name, worker, config.domains);
    if (!node) return node.refusal();
    cluster.nodes.push_back(std::move(*node));
  }
  cluster.left_out = not_simulated(config, workers);
  return cluster;
}

std::vector<std::string> not_simulated(const ControllerConfig& config, const Workers& workers) {
  std::vector<std::string> all;
  const auto in_partitions = [&](const std::string& what, const auto& is_set) {
    std::string names;
    for (const PartitionConfig& partition : config.partitions)
      if (is_set(partition)) names += (names.empty() ? "" : ", ") + partition.name;
    if (!names.empty()) all.push_back(what + " of partition " + names);
  };
  in_partitions("the hours", [](const PartitionConfig& p) { return !p.hours.empty(); });
  in_partitions("the QOS", [](const PartitionConfig& p) { return !p.qos.empty(); });
  in_partitions("exclusive nodes", [](const PartitionConfig& p) { return p.exclusive; });
  in_partitions("the limits on jobs", [](const PartitionConfig& p) {
    return p.time_limit_max_s > 0 || p.min_nodes > 0 || p.max_nodes > 0 ||
           p.max_memory_mb_per_node > 0;
  });
  in_partitions("priority_tier", [](const PartitionConfig& p) { return p.priority_tier != 1; });
  if (!config.scheduling.licences.empty()) all.emplace_back("licences");
  if (std::ranges::any_of(workers, [](const auto& one) { return !one.second.gres.empty(); }))
    all.emplace_back("GRES other than GPUs");
  return all;
}

void fit_to(const Cluster& cluster, std::vector<TraceJob>& jobs) {
  std::int64_t cpu_milli = 0;
  std::int64_t gpus = 0;
  for (const ClusterNode& node : cluster.nodes) {
    cpu_milli = std::max(cpu_milli, node.cpu_milli);
    gpus = std::max(gpus, std::ssize(node.gpus));
  }
  for (TraceJob& job : jobs) {
    if (job.nodes > 0) continue;
    const std::int64_t tasks = cpu_milli / std::max<std::int64_t>(job.cpu_milli_per_task, 1);
    job.nodes = std::max({std::int64_t{1}, ceiling(job.tasks, tasks), ceiling(job.gpus, gpus)});
    job.tasks = std::max(job.tasks, job.nodes);
    if (job.nodes > 1 && gpus > 0) job.gpus = std::min(job.gpus, gpus);
  }
}

}  // namespace cox::simulate
