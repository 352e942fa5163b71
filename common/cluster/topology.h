// How the cluster is wired, as the configuration tells it: a tree of switches, or blocks of nodes,
// with the meaning they have in Slurm's topology.conf. The scheduler works with domain_paths alone.
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

// SwitchName=name, with either Switches= or Nodes=.
struct TopologySwitch {
  std::string name;
  std::string switches;  // hostlist; the switches below it
  std::string nodes;     // hostlist; of a leaf switch

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.switches, self.nodes);
  }
  bool operator==(const TopologySwitch&) const = default;
};

struct TreeTopology {
  std::vector<TopologySwitch> switches;  // in any order

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.switches);
  }
  bool operator==(const TreeTopology&) const = default;
};

// BlockName=name Nodes=
struct TopologyBlock {
  std::string name;
  std::string nodes;  // hostlist

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.nodes);
  }
  bool operator==(const TopologyBlock&) const = default;
};

// Block k of a higher level is so many base blocks in a row: their order counts.
struct BlockTopology {
  std::vector<TopologyBlock> blocks;
  // BlockSizes=: nodes of a base block, then of each level above. Each is the first times a power
  // of two, and larger than the one before. Empty: there are no levels above.
  std::vector<std::int64_t> sizes;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.blocks, self.sizes);
  }
  bool operator==(const BlockTopology&) const = default;
};

// By node, the names of the domains it is in, outermost first: {"spine1", "leaf3"}. Nodes that the
// topology does not name are not in it.
using DomainPaths = std::map<std::string, std::vector<std::string>>;

// Paths may have different lengths; the last name is always the leaf switch.
Result<DomainPaths> domain_paths(const TreeTopology& tree);

// All paths are as long as there are sizes. A domain above the base blocks is named for those in
// it: "b[1-4]".
Result<DomainPaths> domain_paths(const BlockTopology& topology);

}  // namespace cox
