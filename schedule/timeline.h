// When would it fit? Room now, and what comes free at known times. What holds room without a known
// end never comes free here. The answer is found with the real placement, at each time something is
// released, so it is as exact as placement is.
//
// Two rooms go along: what is actually free, and what is not promised to others (the room that
// stopping attempts leave may be promised before it is free). A gang needs both.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/need.h"
#include "schedule/room.h"

namespace cox::schedule {

enum class Held : std::uint8_t {
  Both,      // runs: its end frees the room, and nobody was promised it
  Actually,  // stops: its room is promised, or free to promise, already
  Promised,  // has a promise, and holds nothing yet
};

struct Release {
  Boot at;
  Shares shares;
  Held held = Held::Both;
};

class Timeline {
 public:
  Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases);

  struct Fit {
    Boot at;
    Room room;  // everything free at that time, the gang's own place included
    Shares shares;
  };
  // The earliest time at which the gang fits, not before `now`. Empty: never, as far as is known.
  std::optional<Fit> earliest(const Need& need, Boot now) const;

  // The room when everything with a known end is over.
  Room last() const;

 private:
  struct Rooms {
    Room actual;
    Room unpromised;

    void release(const Release& release);
    Room both() const;
  };

  const Nodes& nodes_;
  Rooms now_;
  std::vector<Release> releases_;  // by time
};

}  // namespace cox::schedule
