// Groups of nodes that are alike: the same hardware and features, usable for the same needs, with
// the same room free. A ranking examines one node per group. Ten thousand nodes of a few types form
// a few hundred groups.
//
// The engine keeps one NodeGroups for its free room, which all Rankings read. A group keeps its
// position until forgotten() increases: then all groups have been made anew.
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
  // REQUIRES: `nodes` and `room` outlive this.
  NodeGroups(const Nodes& nodes, const TrackedRoom& room);

  // Applies the changes of the room. Returns the number of nodes examined.
  std::int64_t follow();

  // Keeps nodes of this set and other nodes in separate groups from now on.
  void distinguish(const std::vector<NodeAt>& some);

  GroupAt groups() const { return static_cast<GroupAt>(groups_.size()); }
  const std::set<NodeAt>& nodes_of(GroupAt group) const {
    return groups_[static_cast<std::size_t>(group)];
  }
  double leaf_free_of(NodeAt at) const;

  // Returns the groups whose first (lowest) node became lower, or that got a first node at all, in
  // the order in which that happened. A group may occur several times. The list begins anew
  // whenever forgotten() increases.
  const std::vector<GroupAt>& lowered_groups() const { return lowered_groups_; }
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
  void regroup_all();
  void put(NodeAt at);
  void note_changed(NodeAt at);
  void describe(NodeAt at);
  void append_devices(NodeAt at, GpuBits devices);
  template <class Number>
  void append(Number number);

  const Nodes& nodes_;
  const TrackedRoom& room_;
  Followed followed_;
  std::vector<std::int32_t> sort_of_;         // by node: number for its fixed properties
  std::vector<std::int64_t> nodes_of_sort_;   // by sort
  std::vector<double> leaf_free_;             // leaf_free() of each leaf switch
  std::vector<std::int32_t> changed_leaves_;  // while following
  std::vector<GroupAt> group_of_;             // by node: its group; -1: no group yet
  std::vector<std::set<NodeAt>> groups_;
  std::int64_t filled_groups_ = 0;
  std::unordered_map<std::string, GroupAt, TextHash, std::equal_to<>> group_by_text_;
  std::string text_;  // last result of describe()
  std::vector<GroupAt> lowered_groups_;
  std::int64_t forgotten_ = 0;
};

}  // namespace cox::schedule
