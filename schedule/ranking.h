// The nodes that hold an equal share of a gang now, best first, kept while rooms change: what
// place() would find by looking at every node again. The engine keeps one for each need and tells
// it which nodes have changed.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/place.h"

namespace cox::schedule {

class Ranking {
 public:
  // Whether place() would take the least bad nodes for it, and nothing else decides.
  static bool serves(const Need& need) {
    if (!need.required.empty() || need.required_missing || need.is_bound()) return false;
    return need.tasks % need.nodes == 0 && (need.nodes == 1 || need.all_nodes->levels().empty());
  }

  // REQUIRES: serves(need). Need and nodes outlive this.
  Ranking(const Need& need, const Nodes& nodes, const Room& room);

  void node_changed(NodeAt at, const Room& room);
  // As many as the gang has nodes, ascending; empty: there are too few.
  std::vector<NodeAt> best();

  // All that was done so far, in nodes looked at.
  std::int64_t work() const { return work_; }

 private:
  struct Entry {
    Badness badness;
    std::uint32_t version = 0;  // older than the node's: it has changed since
  };
  void build(const Room& room);
  void add(NodeAt at, const Room& room, double leaf_free);
  void change(NodeAt at, const Room& room, double leaf_free);
  bool is_current(const Entry& entry) const;

  const Need& need_;
  const Nodes& nodes_;
  std::vector<bool> usable_;             // by node
  std::vector<std::uint32_t> versions_;  // by node
  std::vector<Entry> heap_;              // the best on top
  std::int64_t work_ = 0;
};

}  // namespace cox::schedule
