#include "schedule/timeline.h"

#include <algorithm>

#include "schedule/place.h"

namespace cox::schedule {

void Timeline::Rooms::release(const Release& release) {
  if (release.held != Held::Promised) actual.give_back(release.shares);
  if (release.held != Held::Actually) unpromised.give_back(release.shares);
}

Room Timeline::Rooms::both() const {
  Room room = actual;
  room.limit_to(unpromised);
  return room;
}

Timeline::Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases)
    : nodes_(nodes),
      now_{std::move(actual), std::move(unpromised)},
      releases_(std::move(releases)) {
  std::ranges::stable_sort(releases_, {}, &Release::at);
}

std::optional<Timeline::Fit> Timeline::earliest(const Need& need, Boot now) const {
  Rooms rooms = now_;
  Boot at = now;
  for (std::size_t next = 0;;) {
    while (next < releases_.size() && releases_[next].at <= at) rooms.release(releases_[next++]);
    Room room = rooms.both();
    if (auto shares = place(need, nodes_, room))
      return Fit{at, std::move(room), std::move(*shares)};
    if (next == releases_.size()) return std::nullopt;
    at = releases_[next].at;
  }
}

Room Timeline::last() const {
  Rooms rooms = now_;
  for (const Release& release : releases_) rooms.release(release);
  return rooms.both();
}

}  // namespace cox::schedule
