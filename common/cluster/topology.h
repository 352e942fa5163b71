// The wiring of the cluster from the configuration: a tree of switches, or blocks of nodes, as in
// Slurm's topology.conf. The scheduler uses only domain_paths(). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

// A line SwitchName=NAME of topology.conf, with either Switches= or Nodes=.
struct TopologySwitch {
  std::string name;
  std::string switches;  // hostlist of the switches below this one
  std::string nodes;     // hostlist of its nodes, if it is a leaf switch

  COX_FIELDS(name, switches, nodes);
  bool operator==(const TopologySwitch&) const = default;
};

struct TreeTopology {
  std::vector<TopologySwitch> switches;  // in any order

  COX_FIELDS(switches);
  bool operator==(const TreeTopology&) const = default;
};

// BlockName=name Nodes=
struct TopologyBlock {
  std::string name;
  std::string nodes;  // hostlist

  COX_FIELDS(name, nodes);
  bool operator==(const TopologyBlock&) const = default;
};

// Blocks of nodes. A block of a higher level consists of consecutive base blocks, so the order of
// `blocks` matters.
struct BlockTopology {
  std::vector<TopologyBlock> blocks;
  // BlockSizes=: the number of nodes in a base block, then in a block of each higher level. Each
  // size is the first size times a power of two, and larger than the size before. Empty: there are
  // no higher levels.
  std::vector<std::int64_t> sizes;

  COX_FIELDS(blocks, sizes);
  bool operator==(const BlockTopology&) const = default;
};

// For each node, the names of the switches or blocks that contain it, outermost first: {"spine1",
// "leaf3"}. Nodes that the topology does not name are missing.
using DomainPaths = std::map<std::string, std::vector<std::string>>;

// Returns the switches above each node. The lists may have different lengths; the last name is
// always the leaf switch.
Result<DomainPaths> domain_paths(const TreeTopology& tree);

// Returns the blocks that contain each node: one name for each size. A block of a higher level is
// named after its base blocks: "b[1-4]".
Result<DomainPaths> domain_paths(const BlockTopology& topology);

}  // namespace cox
