// The nodes, the free resources of each (their room), and results computed from both for requests,
// such as which nodes fit best. Part of the Engine, which makes a new Ground when nodes are added,
// removed or resized. When jobs take or give back room, only the results for the changed nodes are
// computed again. Passes find places through a Ground.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule/engine/running.h"
#include "schedule/model/nodes.h"
#include "schedule/model/resolved_request.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/model/tracked_room.h"
#include "schedule/place/advance.h"
#include "schedule/place/fitting.h"
#include "schedule/place/matcher.h"
#include "schedule/place/ranking.h"

namespace cox::schedule {

class Ground {
 public:
  Ground(std::vector<SchedulerNode> nodes, const Settings& settings,
         std::vector<AdvanceReservation> reservations);
  Ground(const Ground&) = delete;  // ResolvedRequests point into it
  Ground& operator=(const Ground&) = delete;

  const Nodes& nodes() const { return nodes_; }
  Matcher& matcher() { return matcher_; }
  TrackedRoom& free() { return free_; }
  AdvanceReservations& advance() { return *advance_; }
  const AdvanceReservations& advance() const { return *advance_; }

  // Resolves the request to the nodes that are available and that no advance reservation closes to
  // a job which starts at `from` and runs for `lasts` (empty: without end). REQUIRES: the engine
  // keeps the request in its pool.
  const ResolvedRequest& need_at(const Request& request, Boot from,
                                 std::optional<Milliseconds> lasts);
  bool fits_now(const ResolvedRequest& need);
  // Returns the nodes with the least badness in the free room, as many as the gang needs, for a
  // gang with an equal part on each node. Empty if too few nodes have room.
  std::vector<NodeAt> best_now(const ResolvedRequest& need);
  // Returns, ascending, all nodes that may have free room for a part of the gang; every other node
  // has none. REQUIRES: the need was made by matcher(), since results are kept by its address.
  std::vector<NodeAt> holding_now(const ResolvedRequest& need);
  // Returns whether the need would fit if all preemptable and movable jobs of tiers up to
  // `tier_max` were gone and all stopping jobs had ended. If false, no choice of victims makes it
  // fit. `running`: all jobs of the engine.
  bool fits_if_all_preempted(const ResolvedRequest& need, std::int64_t tier_max,
                             const std::map<JobId, Running>& running);

  // The work done so far, in nodes examined; it bounds one part of a pass. Passes add with
  // note_work() the nodes that they examine themselves.
  void note_work(std::int64_t nodes_looked_at) { work_ += nodes_looked_at; }
  std::int64_t work() const { return work_; }

  // Returns the counts of earlier requests that the matcher uses for the placement `fgd`.
  const std::map<UsualRequest, double>& usual() const { return usual_; }

  // For the Engine. Takes over which nodes are available and drops all resolved requests. If the
  // nodes differ in anything else, returns false and does nothing.
  bool take_availability(const std::vector<SchedulerNode>& nodes);
  void set_reservations(std::vector<AdvanceReservation> all);
  void forget_needs();
  void learn(const DemandProfile& usual);
  // Called by the Engine: add() after a job has begun to run, remove() before it ends, and both
  // around each change of a running job.
  void add(const Running& running);
  void remove(const Running& running);

 private:
  // The results for one request in one room, and up to which change of that room they are computed.
  struct Watch {
    std::optional<Fitting> fitting;
    Followed fitting_followed;
    std::optional<Ranking> ranking;
  };
  using Watches = std::unordered_map<const ResolvedRequest*, Watch>;
  // The room that is free when all preemptable jobs up to a tier are gone, and results computed in
  // it.
  struct PreemptedRoom {
    explicit PreemptedRoom(Room kept) : room(std::move(kept)) {}
    TrackedRoom room;
    Watches watches;
  };

  // Updates the fitting for the changes of the room. Returns the number of nodes examined.
  std::int64_t follow(Watch& watch, const ResolvedRequest& need, const TrackedRoom& room) const;
  bool fits(const ResolvedRequest& need, PreemptedRoom& preempted) const;
  Ranking& ranking_of(const ResolvedRequest& need);

  Nodes nodes_;
  Matcher matcher_;
  TrackedRoom free_;
  std::unique_ptr<NodeGroups> alike_;  // groups of nodes with equal properties and equal free room
  std::unique_ptr<AdvanceReservations> advance_;
  Watches watches_;
  // key: the highest tier of the jobs assumed gone
  std::map<std::int64_t, PreemptedRoom> if_preempted_;
  std::int64_t usual_version_ = 0;        // version of the DemandProfile in use
  std::map<UsualRequest, double> usual_;  // counts of requests in that version
  std::int64_t work_ = 0;
};

}  // namespace cox::schedule
