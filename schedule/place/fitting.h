// What fits() tells of a need, kept while nodes change one by one. Licences, and what ties nodes to
// each other, it does not know: when it says no, nothing fits; when it says yes, place() has the
// last word for those that ask for such.
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
  // REQUIRES: need outlives this.
  Fitting(const ResolvedRequest& need, const Nodes& nodes, const Room& room);

  void node_changed(NodeAt at, const Room& room);
  void nodes_changed(const GangParts& shares, const Room& room);
  bool enough() const;
  // Its yes is the last word too.
  bool is_exact() const { return !need_.is_bound() && need_.licences.empty(); }

 private:
  const ResolvedRequest& need_;
  std::vector<std::int64_t> tasks_;  // by node, at most those of the gang; -1: not usable
  std::map<std::int64_t, std::int64_t, std::greater<>> others_;  // tasks → so many nodes; not named
  std::int64_t others_count_ = 0;
  std::int64_t named_held_ = 0;
  std::size_t named_count_ = 0;
};

}  // namespace cox::schedule
