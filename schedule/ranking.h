// The nodes that hold a one-node job now, best first, kept while a pass places one job after the
// other: what place() would find by looking at every node again. Pass owns one for each Need and
// tells it which nodes have changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/place.h"

namespace cox::schedule {

class Ranking {
 public:
  // REQUIRES: need.nodes == 1, and it names no node. Need and nodes outlive this.
  Ranking(const Need& need, const Nodes& nodes, const Room& room);

  void node_changed(NodeAt at, const Room& room);
  std::optional<NodeAt> best();

 private:
  struct Entry {
    Badness badness;
    std::uint32_t version = 0;  // older than the node's: it has changed since
  };
  void add(NodeAt at, const Room& room);

  const Need& need_;
  const Nodes& nodes_;
  std::vector<bool> usable_;             // by node
  std::vector<std::uint32_t> versions_;  // by node
  std::vector<Entry> heap_;              // the best on top
};

}  // namespace cox::schedule
