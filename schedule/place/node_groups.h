// Nodes that are alike: the same hardware and features, open to the same needs, and the same is
// free on them. Any of them is as good as the others, so that whoever ranks nodes asks one of each
// group: on ten thousand nodes of a few sorts there are some hundred groups.
//
// The engine keeps one over its free room; a Ranking for each need is made from it. A group is
// known by its position, which stays its own until forgotten() grows.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedule/model/nodes.h"
#include "schedule/model/tracked_room.h"

namespace cox::schedule {

using GroupAt = std::int32_t;

class NodeGroups {
 public:
  // REQUIRES: nodes and room outlive this.
  NodeGroups(const Nodes& nodes, const TrackedRoom& room);

  // Takes in what has changed in the room. How many nodes were looked at.
  std::int64_t follow();

  // From now on no group holds nodes that are among these and nodes that are not.
  void tell_apart(const std::vector<NodeAt>& some);

  GroupAt groups() const { return static_cast<GroupAt>(groups_.size()); }
  const std::set<NodeAt>& nodes_of(GroupAt group) const {
    return groups_[static_cast<std::size_t>(group)];
  }
  double leaf_free_of(NodeAt at) const;

  // Each group whose first node became another, lower one (or that got its first), in the order in
  // which it happened; a group may stand there often. All counts from the last time when groups
  // were forgotten.
  const std::vector<GroupAt>& fallen() const { return fallen_; }
  std::int64_t forgotten() const { return forgotten_; }

  const Room& room() const { return room_; }
  const Nodes& nodes() const { return nodes_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  void sort_nodes();
  void put_all_anew();
  void put(NodeAt at);
  void note_changed(NodeAt at);
  void describe(NodeAt at);
  void append_devices(NodeAt at, GpuBits devices);
  template <class Number>
  void append(Number number);

  const Nodes& nodes_;
  const TrackedRoom& room_;
  Followed followed_;
  std::vector<std::int32_t> sort_of_;         // by node: what never changes, and tell_apart()
  std::vector<std::int64_t> nodes_of_sort_;   // by sort
  std::vector<double> leaf_free_;             // by leaf of the topology
  std::vector<std::int32_t> changed_leaves_;  // while following
  std::vector<GroupAt> group_of_;             // by node; -1: in none yet
  std::vector<std::set<NodeAt>> groups_;
  std::int64_t filled_groups_ = 0;
  std::unordered_map<std::string, GroupAt, TextHash, std::equal_to<>> group_by_text_;
  std::string text_;  // what describe() wrote last
  std::vector<GroupAt> fallen_;
  std::int64_t forgotten_ = 0;
};

}  // namespace cox::schedule
