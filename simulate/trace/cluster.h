// The cluster that is simulated: nodes, what they have, and the partitions they are in. Made from a
// short specification, a table of nodes, a coxswain.toml or a slurm.conf. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

inline constexpr std::int64_t memory_unlimited_mb = std::int64_t{1} << 40;  // nobody said how much

struct ClusterNode {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mb = memory_unlimited_mb;
  std::vector<std::string> gpus;      // the type of each; may be empty text
  std::vector<std::int32_t> islands;  // of each, that are joined; empty: not known
  std::vector<std::string> features;  // sorted
  std::vector<std::string> domains;   // of the topology, the outermost first
};

struct ClusterPartition {
  std::string name;
  std::vector<std::string> nodes;  // empty: all
};

struct Cluster {
  std::vector<ClusterNode> nodes;
  std::vector<ClusterPartition> partitions;
  std::vector<std::string> left_out;  // what its configuration has and the simulation does not

  std::int64_t cpu_milli() const;
  std::int64_t gpus() const;
};

// "procs=256": one node with so many CPUs, so that only their count matters. "nodes=8,gpus=8", also
// with cpus=, memory= (MB, or with M, G, T) and type=: so many equal nodes.
Result<Cluster> parse_cluster(std::string_view spec);

// A table of nodes: sn,cpu_milli,memory_mib,gpu,model.
Result<Cluster> cluster_of_table(std::string_view csv);

// The worker of each node, by the node's name.
using Workers = std::map<std::string, WorkerConfig>;

// Makes the nodes as their workers say, wired as the topology says. The partitions' nodes are all
// among `workers`.
Result<Cluster> cluster_of_config(const ControllerConfig& config, const Workers& workers);

// What of the configuration binds jobs in a cluster and is not simulated, for people.
std::vector<std::string> not_simulated(const ControllerConfig& config, const Workers& workers);

// Nodes and partitions of a slurm.conf.
Result<Cluster> cluster_of_slurm_conf(std::string_view text);

// Jobs that only say how much they want in all are spread over as few of the nodes as hold that;
// those that want more GPUs than a node has take whole nodes.
void fit_to(const Cluster& cluster, std::vector<TraceJob>& jobs);

}  // namespace cox::simulate
