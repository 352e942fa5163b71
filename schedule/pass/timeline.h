// Computes when a gang would fit: on the room now, the room that becomes free at known times, and
// what is claimed by others until then. Room of a job without a known end never becomes free here.
// The real placement is used, so the result is as exact as placement.
//
// Two rooms are tracked: what is actually free, and what is not promised to other jobs (the room of
// stopping attempts may be promised before it is free). A gang must fit in both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

enum class Held : std::uint8_t {
  Both,  // held by a running job: its end frees `actual` and `unpromised` room
  // held by a stopping job: frees only `actual`, since others may be promised it
  Actually,
  Promised,  // promised to a job that does not hold it yet: frees only `unpromised`
};

struct Release {
  Boot at;
  Shared<GangParts> shares;
  Held held = Held::Both;
};

// A place that is reserved for a job from a time on.
struct Claim {
  GangParts shares;
  Boot from;
  std::optional<Boot> until;  // empty: without end
  Room then;                  // free at `from`, without what other claims hold
  Room beside;                // `then` without the claim's own place
};

// What a victim frees (`shares`) of what it holds (`held`), and until when it would have held that.
// `stays`: what a victim that is suspended keeps.
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
    Room room;  // free at the time `at`, without what is claimed then
  };
  // Returns the earliest time, not before `now`, from which the gang fits for `lasts` (empty:
  // without end) beside all claims. Empty if there is no known time before `until`. REQUIRES: the
  // need outlives this; for each need, calls have ascending `now`.
  std::optional<Fit> earliest(const ResolvedRequest& need, Boot now,
                              std::optional<Milliseconds> lasts,
                              std::optional<Boot> until = std::nullopt);

  // Returns the same for a job that needs exactly this place, such as a suspended job.
  std::optional<Fit> earliest_of(const GangParts& place, Boot now,
                                 std::optional<Milliseconds> lasts);

  void claim(Fit fit, std::optional<Boot> until);
  const std::vector<Claim>& claims() const { return claims_; }

  // Record decisions of the pass: a job starts now, gets promised room, or is asked to stop that
  // would have run until `end`.
  void start(const GangParts& shares, std::optional<Boot> end);
  void promise(const GangParts& shares, std::optional<Boot> end);
  // Records that a suspended job resumes; at its end, what it already holds (`rest`) is freed, too.
  void resume(const GangParts& cpus, const Shared<GangParts>& rest, std::optional<Boot> end);
  void stop(const Freed& freed, Boot now);
  // Reserves these CPUs, as far as they are free or become free, for an unknown time. Claims keep
  // their CPUs.
  void keep(const GangParts& cpus);
  // Returns the end that was recorded here for the running job with these shares; its time limit
  // may have changed since. If none was recorded, returns `otherwise`.
  std::optional<Boot> end_of(const Shared<GangParts>& held, std::optional<Boot> otherwise) const;
  // Moves a claim to another place at the same time.
  void move_claim(std::size_t claim, GangParts shares);

  // Returns the room after everything with a known end is over.
  Room last();

 private:
  // `both` is the smaller of `actual` and `unpromised` on each node. If `apart` is false, only
  // `both` is used.
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
  // Whether a gang fits beside each claim, by position; empty: not computed yet.
  using FitsBeside = std::vector<std::optional<bool>>;
  const Claim* last_that_bars(const ResolvedRequest& need, Boot at, std::optional<Boot> end,
                              FitsBeside& known) const;
  Room during(const Room& room, std::span<const NodeAt> some, Boot at,
              std::optional<Boot> end) const;

  const Nodes& nodes_;
  Rooms now_;
  std::vector<Release> releases_;    // the first sorted_count_ are sorted by time
  std::ptrdiff_t sorted_count_ = 0;  // the others were added since they were last sorted
  std::vector<Claim> claims_;
  std::vector<ClaimEdge> edges_;  // begins and ends of the claims, by time
  // Earlier results of earliest(), by need. Room only decreases, so a gang fits no earlier now than
  // it did then, nor does a longer run. Cleared when room is given back.
  std::unordered_map<const ResolvedRequest*, std::vector<Answer>> answers_;
};

}  // namespace cox::schedule
