// The nodes that can hold an equal share of a gang now, best first, updated as the free room
// changes. best() gives the same nodes as place(), but examines one node per group of equal nodes
// instead of every node. The engine keeps one Ranking per resolved request.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/place/node_groups.h"
#include "schedule/place/place.h"

namespace cox::schedule {

class Ranking {
 public:
  // Returns whether a Ranking gives the same nodes as place(): for such needs place() takes just
  // the nodes with the least badness.
  static bool serves(const ResolvedRequest& need) {
    if (!need.required.empty() || need.required_missing || need.is_bound()) return false;
    return need.tasks % need.nodes == 0 && (need.nodes == 1 || need.all_nodes->levels().empty());
  }
  // Returns whether serves(need) and, if there are too few nodes for equal shares, no unequal
  // shares fit either.
  static bool settles(const ResolvedRequest& need) {
    return serves(need) && (need.nodes == 1 || need.tasks_per_node_max <= need.tasks_even());
  }

  // REQUIRES: serves(need); `need` and the groups outlive this.
  Ranking(const ResolvedRequest& need, NodeGroups& alike);

  // Returns the gang's nodes, ascending; empty if there are too few. Ignores licences. REQUIRES:
  // the groups have followed their room.
  std::vector<NodeAt> best();

  // Returns all nodes that can hold a share, ascending. REQUIRES: as for best().
  std::vector<NodeAt> all();

  // Returns the work done so far, in nodes examined.
  std::int64_t work() const { return work_; }

 private:
  // A group of equal nodes, each of which holds a share of the gang.
  struct Fits {
    GroupAt group = 0;
    // The key of the group's valid entry in the heap: its first node, or a node before that. -1:
    // the heap has no entry.
    NodeAt first = -1;
    Badness badness;  // of each node of the group; its member `node` is 0
  };
  struct Entry {
    std::int32_t fits = 0;
    NodeAt first = 0;  // the entry is outdated if this differs from Fits::first
  };

  void catch_up();
  void consider(GroupAt group);
  std::int32_t evaluate(GroupAt group, NodeAt at);
  void push(std::int32_t fits, NodeAt first);
  Entry pop();
  bool is_before(const Entry& a, const Entry& b) const;
  void take(const Entry& entry, std::vector<NodeAt>& found);
  void drop_outdated();

  const ResolvedRequest& need_;
  NodeGroups& groups_;
  std::int64_t forgotten_ = 0;
  std::size_t seen_ = 0;  // number of entries of lowered_groups() that were handled
  // By group: position in fits_, or not_evaluated or does_not_fit.
  std::vector<std::int32_t> fits_of_;
  std::vector<Fits> fits_;
  std::vector<Entry> heap_;  // best entry on top
  std::int64_t work_ = 0;
};

}  // namespace cox::schedule
