// The nodes that hold an equal share of a gang now, best first, kept while rooms change: what
// place() would find by looking at every node again. The engine keeps one for each need. It looks
// at one node of each group of those that are alike.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/place/node_groups.h"
#include "schedule/place/place.h"

namespace cox::schedule {

class Ranking {
 public:
  // Whether place() would take the least bad nodes for it, and nothing else decides.
  static bool serves(const ResolvedRequest& need) {
    if (!need.required.empty() || need.required_missing || need.is_bound()) return false;
    return need.tasks % need.nodes == 0 && (need.nodes == 1 || need.all_nodes->levels().empty());
  }
  // And when there are too few nodes for equal shares, no other shares fit either.
  static bool settles(const ResolvedRequest& need) {
    return serves(need) && (need.nodes == 1 || need.tasks_per_node_max <= need.tasks_even());
  }

  // REQUIRES: serves(need). ResolvedRequest and the groups outlive this.
  Ranking(const ResolvedRequest& need, NodeGroups& alike);

  // As many as the gang has nodes, ascending; empty: there are too few. Licences it does not know.
  // REQUIRES: the groups have followed their room.
  std::vector<NodeAt> best();

  // All nodes that hold a share, ascending. REQUIRES: as best().
  std::vector<NodeAt> all();

  // All that was done so far, in nodes looked at.
  std::int64_t work() const { return work_; }

 private:
  // A group whose nodes hold a share.
  struct Fits {
    GroupAt group = 0;
    NodeAt first = -1;  // as it stands in the heap: its first node, or one before that; -1: nowhere
    Badness badness;    // of each of its nodes
  };
  struct Entry {
    std::int32_t fits = 0;
    NodeAt first = 0;  // not that of Fits: outdated
  };

  void catch_up();
  void consider(GroupAt group);
  std::int32_t judge(GroupAt group, NodeAt at);
  void push(std::int32_t fits, NodeAt first);
  Entry pop();
  bool is_before(const Entry& a, const Entry& b) const;
  void take(const Entry& entry, std::vector<NodeAt>& found);
  void drop_outdated();

  const ResolvedRequest& need_;
  NodeGroups& groups_;
  std::int64_t forgotten_ = 0;
  std::size_t seen_ = 0;               // of the groups' falls
  std::vector<std::int32_t> fits_of_;  // by group: in fits_; or one of the below
  std::vector<Fits> fits_;
  std::vector<Entry> heap_;  // the best on top
  std::int64_t work_ = 0;
};

}  // namespace cox::schedule
