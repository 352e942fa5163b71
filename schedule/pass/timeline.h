// When would it fit? Room now, what comes free at known times, and what was claimed for others
// until then. What holds room without a known end never comes free here. The answer is found with
// the real placement, so it is as exact as placement is.
//
// Two rooms go along: what is actually free, and what is not promised to others (the room that
// stopping attempts leave may be promised before it is free). A gang needs both.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

enum class Held : std::uint8_t {
  Both,      // runs: its end frees the room, and nobody was promised it
  Actually,  // stops: its room is promised, or free to promise, already
  Promised,  // has a promise, and holds nothing yet
};

struct Release {
  Boot at;
  Shared<GangParts> shares;
  Held held = Held::Both;
};

// A place kept for a job from a time on.
struct Claim {
  GangParts shares;
  Boot from;
  std::optional<Boot> until;  // empty: for good
  Room then;                  // free at `from` but for what other claims hold
  Room beside;                // and less its own place
};

// What a victim leaves, of what it holds, and until when it would have held it. What stays with one
// that suspends does not come free then.
struct Freed {
  Shared<GangParts> shares;
  Shared<GangParts> held;
  std::optional<Boot> end;
  GangParts stays;
};

class Timeline {
 public:
  Timeline(const Nodes& nodes, Room actual, Room unpromised, std::vector<Release> releases);

  struct Fit {
    Boot at;
    GangParts shares;
    Room room;  // free at that time, less what is claimed then
  };
  // The earliest time, not before `now`, from which the gang fits for so long beside all claims.
  // `lasts`: empty: for good. Empty: never, as far as is known, or not before `until`. REQUIRES:
  // the need outlives this, and is asked about from each time on before it is from a later one.
  std::optional<Fit> earliest(const ResolvedRequest& need, Boot now,
                              std::optional<Milliseconds> lasts,
                              std::optional<Boot> until = std::nullopt);

  // As earliest(), of who has its place already.
  std::optional<Fit> earliest_of(const GangParts& place, Boot now,
                                 std::optional<Milliseconds> lasts);

  void claim(Fit fit, std::optional<Boot> until);
  const std::vector<Claim>& claims() const { return claims_; }

  // What the pass decides meanwhile: something starts now; is promised room; is asked to stop now
  // that was to run until `end`.
  void start(const GangParts& shares, std::optional<Boot> end);
  void promise(const GangParts& shares, std::optional<Boot> end);
  // It goes on and then ends: what it holds already comes free as well.
  void resume(const GangParts& cpus, const Shared<GangParts>& rest, std::optional<Boot> end);
  void stop(const Freed& freed, Boot now);
  // What of these CPUs is free, or comes free, is nobody else's from now on, beside all claims.
  void keep(const GangParts& cpus);
  // As it is reckoned with here; when a running job ends may have been learnt anew since.
  std::optional<Boot> end_of(const Shared<GangParts>& held, std::optional<Boot> otherwise) const;
  // A claim keeps its time at another place.
  void move_claim(std::size_t claim, GangParts shares);

  // The room when everything with a known end is over.
  Room last();

 private:
  // `both` is the lesser of the others, which are left out where nothing tells them apart.
  struct Rooms {
    Room actual;
    Room unpromised;
    Room both;
    bool apart = true;

    void take(const GangParts& shares);
    void give_back(const GangParts& shares);
    void release(const Release& release);
    void changed(const GangParts& shares);
  };
  struct ClaimEdge {
    Boot at;
    bool begins = false;
    std::size_t claim = 0;
  };
  struct Answer {
    Milliseconds lasts;
    Boot at;
  };

  void add_edge(ClaimEdge edge);
  void sort_releases();
  Rooms rooms_now() const;
  Boot not_before(const ResolvedRequest& need, Boot now, std::optional<Milliseconds> lasts) const;
  void note_answer(const ResolvedRequest& need, std::optional<Milliseconds> lasts, Boot at);
  template <class Visit>
  void each_claim_from_last(Boot after, std::optional<Boot> before, Visit visit) const;
  template <class Change>
  void at_claims_from(Boot end, Change change);
  template <class Change>
  void at_claims_before(std::optional<Boot> end, Change change);
  void hold_after(const GangParts& shares, std::optional<Boot> end);
  const Claim* last_that_bars(const ResolvedRequest& need, Boot at, std::optional<Boot> end) const;
  Room during(const Room& room, Boot at, std::optional<Boot> end) const;

  const Nodes& nodes_;
  Rooms now_;
  std::vector<Release> releases_;    // the first of them by time, then those added since
  std::ptrdiff_t sorted_count_ = 0;  // many are added between two questions
  std::vector<Claim> claims_;
  std::vector<ClaimEdge> edges_;  // of the claims, by time
  // Room only becomes less, so what fitted at some time fits no earlier now, nor for longer.
  // Forgotten when room is given back.
  std::unordered_map<const ResolvedRequest*, std::vector<Answer>> answers_;
};

}  // namespace cox::schedule
