// When would it fit? Room now, what comes free at known times, and what was claimed for others
// until then. What holds room without a known end never comes free here. The answer is found with
// the real placement, so it is as exact as placement is.
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
  Shared<Shares> shares;
  Held held = Held::Both;
};

// A place kept for a job from a time on.
struct Claim {
  Shares shares;
  Boot from;
  std::optional<Boot> until;  // empty: for good
  Room then;                  // free at `from` but for what other claims hold
  Room beside;                // and less its own place

  bool during(Boot begin, std::optional<Boot> end) const {
    return (!until || *until > begin) && (!end || from < *end);
  }
};

// What a victim leaves, of what it holds, and until when it would have held it. What stays with one
// that suspends does not come free then.
struct Freed {
  Shared<Shares> shares;
  Shared<Shares> held;
  std::optional<Boot> end;
  Shares stays;
};

class Timeline {
 public:
  Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases);

  struct Fit {
    Boot at;
    Shares shares;
    Room room;  // free at that time, less what is claimed then
  };
  // The earliest time, not before `now`, from which the gang fits for so long beside all claims.
  // `lasts`: empty: for good. Empty: never, as far as is known.
  std::optional<Fit> earliest(const Need& need, Boot now, std::optional<Milliseconds> lasts);

  // As earliest(), of who has its place already.
  std::optional<Fit> earliest_of(const Shares& place, Boot now, std::optional<Milliseconds> lasts);

  void claim(Fit fit, std::optional<Boot> until);
  const std::vector<Claim>& claims() const { return claims_; }

  // What the pass decides meanwhile: something starts now; is promised room; is asked to stop now
  // that was to run until `end`.
  void start(const Shares& shares, std::optional<Boot> end);
  void promise(const Shares& shares, std::optional<Boot> end);
  void stop(const Freed& freed, Boot now);
  // As it is reckoned with here; when a running job ends may have been learnt anew since.
  std::optional<Boot> end_of(const Shared<Shares>& held, std::optional<Boot> otherwise) const;
  // A claim keeps its time at another place.
  void move_claim(std::size_t claim, Shares shares);

  // The room when everything with a known end is over.
  Room last();

 private:
  struct Rooms {
    Room actual;
    Room unpromised;
    Room both;

    void release(const Release& release);
    void pass(const Shares& claimed, bool begins);  // an edge of a claim
    void changed(const Shares& shares);
  };
  struct ClaimEdge {
    Boot at;
    bool begins = false;
    std::size_t claim = 0;
  };

  std::vector<ClaimEdge> claim_edges() const;
  void sort_releases();
  template <class Change>
  void at_claims_from(Boot end, Change change);
  template <class Change>
  void at_claims_before(std::optional<Boot> end, Change change);
  void hold_after(const Shares& shares, std::optional<Boot> end);
  const Claim* last_that_bars(const Need& need, Boot at, std::optional<Boot> end) const;
  Room during(const Room& room, Boot at, std::optional<Boot> end) const;

  const Nodes& nodes_;
  Rooms now_;
  std::vector<Release> releases_;    // the first of them by time, then those added since
  std::ptrdiff_t sorted_count_ = 0;  // many are added between two questions
  std::vector<Claim> claims_;
};

}  // namespace cox::schedule
