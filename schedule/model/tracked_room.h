// A Room that records which nodes changed. A Fitting or a Ranking that was computed from it updates
// only these nodes instead of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/model/room.h"

namespace cox::schedule {

// Up to which change of a TrackedRoom a reader has updated its results.
struct Followed {
  // number of the record that `changes` counts in; 0: nothing followed yet
  std::uint64_t epoch = 0;
  std::size_t changes = 0;
};

class TrackedRoom {
 public:
  explicit TrackedRoom(Room room) : room_(std::move(room)) {}

  const Room& room() const { return room_; }
  operator const Room&() const { return room_; }

  void take(const GangParts& shares) {
    room_.take(shares);
    note(shares);
  }
  void give_back(const GangParts& shares) {
    room_.give_back(shares);
    note(shares);
  }
  void set_least(NodeAt at, const Room& a, const Room& b) {
    room_.set_least(at, a, b);
    note(at);
  }

  void set_licences_of(const Room& other) { room_.set_licences_of(other); }

  // Visits each node that has changed since the last call with `followed`, and updates `followed`.
  // Returns false if the record does not reach back that far; then any node may have changed.
  bool follow(Followed& followed, const auto& visit) const {
    const bool known = followed.epoch == epoch_;
    if (known)
      for (std::size_t i = followed.changes; i < changed_.size(); ++i) visit(changed_[i]);
    followed = {epoch_, changed_.size()};
    return known;
  }

 private:
  void note(const GangParts& shares) {
    for (const NodePart& share : shares) note(share.node);
  }
  void note(NodeAt at) {
    if (changed_.size() > 1'000 + 4 * static_cast<std::size_t>(room_.size())) {
      changed_.clear();  // following more changes would cost more than starting anew
      ++epoch_;
    }
    changed_.push_back(at);
  }

  Room room_;
  std::uint64_t epoch_ = 1;
  std::vector<NodeAt> changed_;
};

}  // namespace cox::schedule
