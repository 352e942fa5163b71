// Whether a gang fits, as fits() answers it, updated as nodes change one by one. It ignores
// licences, and what a bound gang (ResolvedRequest::is_bound) requires of its nodes together. If
// enough() is false, nothing fits. If it is true, place() must still decide unless is_exact().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

class Fitting {
 public:
  // REQUIRES: `need` outlives this.
  Fitting(const ResolvedRequest& need, const Nodes& nodes, const Room& room);

  void node_changed(NodeAt at, const Room& room);
  void nodes_changed(const GangParts& shares, const Room& room);
  bool enough() const;
  // Returns, ascending, the nodes that hold at least one task.
  std::vector<NodeAt> holding() const;
  // Returns whether a true enough() means that the gang fits.
  bool is_exact() const { return !need_.is_bound() && need_.licences.empty(); }

 private:
  const ResolvedRequest& need_;
  // by node: how many tasks fit, at most those of the gang; -1: not usable
  std::vector<std::int64_t> tasks_;
  // number of tasks → number of nodes that hold so many, without nodes that the job names
  std::map<std::int64_t, std::int64_t, std::greater<>> others_;
  std::int64_t others_count_ = 0;
  std::int64_t named_held_ = 0;
  std::size_t named_count_ = 0;
};

}  // namespace cox::schedule
