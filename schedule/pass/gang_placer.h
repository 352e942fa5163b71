// Places the gang of a queued job in the rooms of a pass so that no reservation is delayed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/pass/pass_backfill.h"
#include "schedule/pass/pass_limits.h"

namespace cox::schedule {

class GangPlacer {
 public:
  GangPlacer(const PassFacts& facts, const PassRooms& rooms, PassBackfill& backfill,
             const PassLimits& limits)
      : facts_(facts), rooms_(rooms), backfill_(backfill), limits_(limits) {}

  // Places the gang in the free room, for a job that ends by `end` (empty: unknown).
  std::optional<GangParts> place_now(const ResolvedRequest& need, std::optional<Boot> end);
  // Places the gang in the free room with the longest time limit that ends before a reservation.
  // Does so only if the job accepts a shorter limit, or can save and be requeued at the end of one.
  // Sets the need and the time limit of the decision.
  std::optional<GangParts> place_shortened(Decision& decision);
  // Places an elastic gang in the free room on the most nodes that fit. Empty: no size above the
  // smallest fits.
  std::optional<GangParts> place_larger(const PendingJob& job, const ResolvedRequest& need,
                                        std::optional<Boot> end);
  // Places the gang in `room`, for a job that ends by `end` (empty: unknown). Prefers nodes whose
  // room is free now, and among these nodes the least badness. `some`: the nodes that may hold a
  // part.
  std::optional<GangParts> place_in(const Room& room, std::span<const NodeAt> some,
                                    const ResolvedRequest& need, std::optional<Boot> end);

 private:
  std::optional<GangParts> place_free(std::span<const NodeAt> some, const ResolvedRequest& need,
                                      std::optional<Boot> end);
  std::vector<Milliseconds> shorter_limits(const PendingJob& job, const Request& request) const;

  const PassFacts& facts_;
  const PassRooms& rooms_;
  PassBackfill& backfill_;
  const PassLimits& limits_;
};

}  // namespace cox::schedule
