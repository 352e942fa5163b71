#include "common/cluster/topology.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

Failure check_names(const std::vector<std::string>& names, const std::string& kind) {
  if (names.size() > limits::topology_domains_max)
    return Refusal{"the topology has " + std::to_string(names.size()) + " domains; the limit is " +
                       std::to_string(limits::topology_domains_max),
                   "describe the levels that matter"};
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (!is_host_name(name))
      return Refusal{quoted(name) + " is not the name of a " + kind,
                     "use letters, digits, '-', '_' and '.'"};
    if (!known.insert(name).second)
      return Refusal{"the " + kind + " " + name + " is described twice", "describe it once"};
  }
  return std::nullopt;
}

// Expands a hostlist of the configuration. A refusal begins with `owner`, the switch or block that
// has the list.
Result<std::vector<std::string>> names_of(const std::string& hostlist, const std::string& owner) {
  auto names = expand_hostlist(hostlist);
  if (!names) return Refusal{owner + ": " + names.refusal().fact, names.refusal().hint};
  return names;
}

Failure add_nodes(const std::string& hostlist, const std::string& owner,
                  const std::vector<std::string>& path, DomainPaths& paths) {
  const auto nodes = names_of(hostlist, owner);
  if (!nodes) return nodes.refusal();
  for (const std::string& node : *nodes) {
    const auto [at, is_new] = paths.emplace(node, path);
    if (!is_new)
      return Refusal{owner + " has the node " + node + ", and so has " + at->second.back(),
                     "each node is in one place: name it once"};
  }
  if (paths.size() > limits::hostlist_nodes_max)
    return Refusal{
        "the topology has more than " + std::to_string(limits::hostlist_nodes_max) + " nodes",
        "name fewer nodes"};
  return std::nullopt;
}

// ---- tree ------------------------------------------------------------------------------------

class TreeReader {
 public:
  explicit TreeReader(const TreeTopology& tree) : tree_(tree) {}

  Result<DomainPaths> read() {
    std::vector<std::string> names;
    for (const TopologySwitch& s : tree_.switches) names.push_back(s.name);
    if (Failure failure = check_names(names, "switch")) return *std::move(failure);
    for (const TopologySwitch& s : tree_.switches) upper_.emplace(s.name, nullptr);
    for (const TopologySwitch& s : tree_.switches)
      if (Failure failure = link(s)) return *std::move(failure);
    DomainPaths paths;
    for (const TopologySwitch& s : tree_.switches) {
      const auto path = path_to(s);
      if (!path) return path.refusal();
      if (s.nodes.empty()) continue;
      if (Failure failure = add_nodes(s.nodes, owner(s), *path, paths)) return *std::move(failure);
    }
    return paths;
  }

 private:
  static std::string owner(const TopologySwitch& s) { return "the switch " + s.name; }

  // Records the switch as the upper one of the switches below it.
  Failure link(const TopologySwitch& s) {
    if (s.switches.empty() == s.nodes.empty())
      return Refusal{owner(s) + " has " +
                         (s.nodes.empty() ? "neither switches nor" : "both switches and") +
                         " nodes below it",
                     "name either its switches or its nodes"};
    if (s.switches.empty()) return std::nullopt;
    const auto below = names_of(s.switches, owner(s));
    if (!below) return below.refusal();
    for (const std::string& name : *below) {
      const auto found = upper_.find(name);
      if (found == upper_.end())
        return Refusal{owner(s) + " is above the switch " + name + ", which is not described",
                       "describe " + name + ", or take it out"};
      if (found->second != nullptr)
        return Refusal{
            owner(s) + " is above the switch " + name + ", and so is " + found->second->name,
            "each switch is below one other: name it once"};
      found->second = &s;
    }
    return std::nullopt;
  }

  // Returns the names of the switches from the root down to this one.
  Result<std::vector<std::string>> path_to(const TopologySwitch& s) const {
    std::vector<std::string> path;
    for (const TopologySwitch* at = &s; at != nullptr; at = upper_.at(at->name)) {
      if (std::find(path.begin(), path.end(), at->name) != path.end())
        return Refusal{"the switch " + at->name + " is below itself", "correct what is below it"};
      if (path.size() == limits::topology_depth_max)
        return Refusal{owner(s) + " has more than " +
                           std::to_string(limits::topology_depth_max - 1) + " switches above it",
                       "describe the levels that matter"};
      path.push_back(at->name);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  const TreeTopology& tree_;
  // The switch above each switch, by name; nullptr for a root.
  std::unordered_map<std::string_view, const TopologySwitch*> upper_;
};

// ---- block -----------------------------------------------------------------------------------

bool is_power_of_two(std::int64_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

Failure check_sizes(const std::vector<std::int64_t>& sizes) {
  if (sizes.size() > limits::topology_depth_max)
    return Refusal{"there are " + std::to_string(sizes.size()) + " sizes of blocks; the limit is " +
                       std::to_string(limits::topology_depth_max),
                   "describe the levels that matter"};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool in_bounds = sizes[i] > 0 && sizes[i] <= limits::nodes_per_job_max;
    const bool grows = i == 0 || sizes[i] > sizes[i - 1];
    if (!in_bounds || !grows || sizes[i] % sizes[0] != 0 || !is_power_of_two(sizes[i] / sizes[0]))
      return Refusal{"the block size " + std::to_string(sizes[i]) + " does not fit the others",
                     "write the nodes of a block, then twice as many, four times, and so on, up "
                     "to " +
                         std::to_string(limits::nodes_per_job_max)};
  }
  return std::nullopt;
}

// Computes the names of the domains above each block, one block after the other.
class BlockPaths {
 public:
  BlockPaths(const std::vector<std::string>& blocks, const std::vector<std::int64_t>& sizes)
      : blocks_(blocks), path_(std::max<std::size_t>(sizes.size(), 1)) {
    for (const std::int64_t size : sizes)
      blocks_in_domain_.push_back(static_cast<std::size_t>(size / sizes[0]));
    if (sizes.empty()) blocks_in_domain_ = {1};
  }

  // Returns the names for a block, outermost first. REQUIRES: called for each block in turn, from
  // 0.
  const std::vector<std::string>& at(std::size_t block) {
    for (std::size_t level = 0; level < path_.size(); ++level)
      if (block % blocks_in_domain_[level] == 0)
        path_[path_.size() - 1 - level] = domain_name(block, blocks_in_domain_[level]);
    return path_;
  }

 private:
  // Returns the name of the domain that consists of `count` blocks from `first` on, such as
  // "b[1-4]". The last domain of a level may have fewer.
  std::string domain_name(std::size_t first, std::size_t count) const {
    const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(first);
    count = std::min(count, blocks_.size() - first);
    return compress_hostlist({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }

  const std::vector<std::string>& blocks_;
  std::vector<std::string> path_;  // outermost first
  // Base blocks in a domain of each level, innermost level first.
  std::vector<std::size_t> blocks_in_domain_;
};

}  // namespace

Result<DomainPaths> domain_paths(const TreeTopology& tree) {
  return TreeReader(tree).read();
}

Result<DomainPaths> domain_paths(const BlockTopology& topology) {
  std::vector<std::string> names;
  for (const TopologyBlock& block : topology.blocks) names.push_back(block.name);
  if (Failure failure = check_names(names, "block")) return *std::move(failure);
  if (Failure failure = check_sizes(topology.sizes)) return *std::move(failure);
  DomainPaths paths;
  BlockPaths block_paths(names, topology.sizes);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t before = paths.size();
    const std::string owner = "the block " + names[i];
    if (Failure failure = add_nodes(topology.blocks[i].nodes, owner, block_paths.at(i), paths))
      return *std::move(failure);
    const auto nodes = static_cast<std::int64_t>(paths.size() - before);
    if (!topology.sizes.empty() && nodes < topology.sizes[0])
      return Refusal{owner + " has " + std::to_string(nodes) +
                         " nodes, fewer than the block size " + std::to_string(topology.sizes[0]),
                     "name more nodes, or write a smaller size"};
  }
  return paths;
}

}  // namespace cox
