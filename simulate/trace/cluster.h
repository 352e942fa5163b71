// The simulated cluster: nodes, their resources and partitions. It is made from a short
// specification, a table of nodes, a coxswain.toml or a slurm.conf. Pure.
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

inline constexpr std::int64_t memory_unlimited_mb = std::int64_t{1} << 40;  // not specified

struct ClusterNode {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mb = memory_unlimited_mb;
  std::vector<std::string> gpus;      // the type of each GPU; empty text: it has no type
  std::vector<std::int32_t> islands;  // island (GPUs joined by NVLink) of each GPU; empty: unknown
  std::vector<std::string> features;  // sorted
  std::vector<std::string> domains;   // names of its topology domains, the outermost first
};

struct ClusterPartition {
  std::string name;
  std::vector<std::string> nodes;  // empty: all
};

struct Cluster {
  std::vector<ClusterNode> nodes;
  std::vector<ClusterPartition> partitions;
  std::vector<std::string> left_out;  // parts of the configuration that are not simulated

  std::int64_t cpu_milli() const;
  std::int64_t gpus() const;
};

// Parses a specification. "procs=256" is one node with 256 CPUs, so that only their number matters.
// "nodes=8,gpus=8" is 8 equal nodes, with optional cpus=, memory= (in MB, or with M, G, T) and
// type=.
Result<Cluster> parse_cluster(std::string_view spec);

// Parses a table of nodes with the columns sn,cpu_milli,memory_mib,gpu,model.
Result<Cluster> cluster_of_table(std::string_view csv);

// The configuration of each node's worker, by node name.
using Workers = std::map<std::string, WorkerConfig>;

// Makes the nodes from the configurations of their workers, with the configured topology. REQUIRES:
// `workers` has all nodes of the partitions.
Result<Cluster> cluster_of_config(const ControllerConfig& config, const Workers& workers);

// Returns the parts of the configuration that restrict jobs in a real cluster but are not
// simulated, as text.
std::vector<std::string> not_simulated(const ControllerConfig& config, const Workers& workers);

// Parses nodes and partitions of a slurm.conf.
Result<Cluster> cluster_of_slurm_conf(std::string_view text);

// Spreads jobs that only give their total size over as few nodes as hold it. Jobs that need more
// GPUs than a node has get whole nodes.
void fit_to(const Cluster& cluster, std::vector<TraceJob>& jobs);

}  // namespace cox::simulate
