// Keeps the scheduling engine up to date with the cluster. The cluster notes what has changed
// (dirty.h). When the engine is used next, the feed first puts exactly these changes into it. The
// engine follows from the cluster and the time and is no part of the state. Code that handles
// events reaches the feed through Reaction (controller/ledger/reaction.h). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "controller/feed/shape.h"
#include "controller/state/cluster.h"
#include "schedule/top/scheduler.h"

namespace cox {

class EngineFeed {
 public:
  // REQUIRES: the cluster outlives the feed.
  explicit EngineFeed(Cluster& cluster);

  // Return the engine and the scheduler that owns it, up to date.
  schedule::Engine& engine(Now now);
  schedule::Scheduler& scheduler(Now now);

  // Reserves the placement for the preempting job until its victims have stopped, as a pass decided
  // (Engine::claim).
  void claim(JobId id, Placement placement, Now now);
  // The task `id` was split off the array row `from`. Applies the decision of the current pass for
  // one task of `from` to `id`.
  void note_split(JobId from, JobId id) { scheduler_->engine().note_split(from, id); }

  // Recomputes the fair-share factors, if they may have changed, and the priorities of jobs.
  void settle_fair_shares(Now now);

  // Returns the smallest number of nodes with which a job of this shape can ever run, if that was
  // found since the nodes last changed; otherwise nullopt. To find it anew means to look at every
  // node.
  std::optional<std::int64_t> known_possible(const PossibleKey& key);
  void note_possible(PossibleKey key, std::int64_t nodes);

  // CHECKs that the engine has the jobs of the cluster. For tests.
  void verify() const;

 private:
  void begin_anew();
  void update_nodes(Now now);
  void update_reservations(Now now);
  void update_jobs(Now now);
  void update_job(JobId id, Dirty::Way way, Now now);
  void update_charges(Now now);
  void update_quotas();
  void forget_possible_if_stale();

  Cluster& cluster_;
  std::unique_ptr<schedule::Scheduler> scheduler_;
  // When the next briefly silent node counts as not responding; then the engine's nodes are out of
  // date.
  Boot silence_turns_long_ = Boot::max();
  // Wall clock minus boot clock when the reservations were last put; nullopt: never put.
  std::optional<Milliseconds> clocks_apart_;
  // Number of GrpTRESMins and GrpWall limits that were charged with past usage last.
  std::size_t charged_limits_ = 0;
  Boot charged_at_{};
  // For each limit that keeps room for a QOS (kept_tres): the amount that the nodes have of its
  // resource.
  std::map<std::int32_t, std::int64_t> room_there_is_;
  Boot fair_shares_due_{};  // the earliest time at which fair shares are recomputed
  Boot fair_shares_settled_{};
  std::map<PossibleKey, std::int64_t> possible_;
};

}  // namespace cox
