#include "client/setup/config_warnings.h"

#include <algorithm>

#include "common/base/hostlist.h"
#include "common/base/text.h"

namespace cox {
namespace {

using HostNames = std::vector<std::string>;

std::string partition_text(const std::string& name) {
  return "[[partition]] " + quoted(name);
}

class Warnings {
 public:
  explicit Warnings(const std::string& path) : path_(path) {}
  void add(const std::string& fact, const std::string& hint) {
    found_.push_back({path_ + ": " + fact, hint});
  }
  std::vector<Refusal> take() { return std::move(found_); }

 private:
  const std::string& path_;
  std::vector<Refusal> found_;
};

// Warns about `nodes = ""`, which is the same as no key `nodes`: all nodes.
void warn_of_empty_nodes(const ConfigReport& report, Warnings& out) {
  std::string partition;
  for (const ConfigLine& line : report.lines) {
    if (line.table != "[[partition]]") continue;
    if (line.key == "name") partition = line.value.empty() ? "" : line.value.front();
    if (line.key == "nodes" && line.given && line.value.empty())
      out.add(partition_text(partition) + " has nodes = \"\", and so it has all nodes",
              "name its nodes, or leave the key out to give it all");
  }
}

// Warns about the nodes of switches and blocks that no partition of the file has.
void warn_of_topology(const ControllerConfig& config, Warnings& out) {
  std::set<std::string> in_partitions;
  for (const PartitionConfig& partition : config.partitions) {
    if (partition.nodes.empty()) return;  // it has all nodes
    in_partitions.insert(partition.nodes.begin(), partition.nodes.end());
  }
  HostNames alone;
  for (const auto& [node, domains] : config.domains)
    if (!in_partitions.contains(node)) alone.push_back(node);
  if (!alone.empty())
    out.add("[topology] has " + compress_hostlist(alone) + ", which no [[partition]] has",
            "add them to the nodes of a [[partition]], or correct the names");
}

void warn_of_qos(const PartitionConfig& partition, const ClusterNames& cluster, Warnings& out) {
  const auto check = [&](const std::string& key, const HostNames& names) {
    for (const std::string& name : names)
      if (!cluster.qos.contains(name))
        out.add(key + " in " + partition_text(partition.name) + " names the QOS " + quoted(name) +
                    ", which does not exist",
                "add it with 'sacctmgr add qos " + name + "', or correct the name");
  };
  if (!partition.qos.empty()) check("qos", {partition.qos});
  check("allow_qos", partition.allow_qos);
  check("deny_qos", partition.deny_qos);
}

void warn_of_nodes(const PartitionConfig& partition, const ClusterNames& cluster, Warnings& out) {
  HostNames missing;
  for (const std::string& node : partition.nodes)
    if (!cluster.nodes.contains(node)) missing.push_back(node);
  if (missing.empty()) return;
  const std::string what = missing.size() == partition.nodes.size()
                               ? " has no node: no host has registered as "
                               : " has nodes that no host has registered as: ";
  out.add(partition_text(partition.name) + what + compress_hostlist(missing),
          "start cox-worker on these hosts, or correct the names");
}

// Warns about partitions of the running cluster that the file does not have.
void warn_of_gone_partitions(const ControllerConfig& config, const ClusterNames& cluster,
                             Warnings& out) {
  for (const std::string& name : cluster.partitions)
    if (std::ranges::find(config.partitions, name, &PartitionConfig::name) ==
        config.partitions.end())
      out.add("the cluster has partition " + name + ", and the file does not",
              "its pending jobs will wait for ever: keep a " + partition_text(name) +
                  ", or move them with 'cox update JOB Partition=NAME'. A partition that was "
                  "made with 'scontrol create' stays");
}

// Warns about hosts that have registered and that no partition of the file has.
void warn_of_idle_hosts(const ControllerConfig& config, const ClusterNames& cluster,
                        Warnings& out) {
  HostNames alone;
  for (const std::string& node : cluster.nodes)
    if (std::ranges::none_of(config.partitions, [&](const PartitionConfig& partition) {
          return partition.nodes.empty() ||
                 std::ranges::find(partition.nodes, node) != partition.nodes.end();
        }))
      alone.push_back(node);
  if (!alone.empty())
    out.add("no [[partition]] has " + compress_hostlist(alone) + ", so no job can run there",
            "add them to the nodes of a [[partition]]");
}

}  // namespace

std::vector<Refusal> config_warnings(const ConfigReport& report, const ControllerConfig& config,
                                     const ConfigSurroundings& surroundings) {
  Warnings out(report.path);
  for (const MissingProgram& one : surroundings.programs)
    out.add(one.key + " in " + one.table + ": this host cannot run " + one.path + ": " + one.why,
            "install the program here if this host needs it, or correct its path");
  if (config.database.empty()) return out.take();  // the file has no [controller]
  for (const std::string& group : surroundings.missing_groups)
    out.add("allow_groups in [[partition]] names the group " + quoted(group) +
                ", which this host lacks",
            "correct the name; `getent group` lists the groups");
  warn_of_empty_nodes(report, out);
  warn_of_topology(config, out);
  if (!surroundings.cluster) return out.take();
  for (const PartitionConfig& partition : config.partitions) {
    warn_of_qos(partition, *surroundings.cluster, out);
    warn_of_nodes(partition, *surroundings.cluster, out);
  }
  warn_of_gone_partitions(config, *surroundings.cluster, out);
  warn_of_idle_hosts(config, *surroundings.cluster, out);
  return out.take();
}

}  // namespace cox
