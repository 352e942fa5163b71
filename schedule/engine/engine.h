// The facts that scheduling passes decide by (nodes, jobs, reservations, limits, quotas), updated
// one by one, and what was computed from them. So a pass after the end of one job costs only what
// that end changed. Beside the facts the engine has only history: what earlier jobs asked for, how
// long they ran and how long they waited. A property test checks that facts given one by one and
// all at once lead to the same plans.
//
// A Scheduler owns the engine and makes the passes over it (scheduler.h). The owner of the
// Scheduler adds and removes the facts: the controller's EngineFeed, the simulated cluster of `cox
// simulate`, or a test.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "schedule/engine/ground.h"
#include "schedule/engine/running.h"
#include "schedule/engine/running_counts.h"
#include "schedule/model/request_pool.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/queue/lifetimes.h"
#include "schedule/queue/limit_use.h"
#include "schedule/queue/longest_waits.h"
#include "schedule/queue/order.h"
#include "schedule/queue/patience.h"
#include "schedule/queue/pending_queue.h"
#include "schedule/queue/quota.h"

namespace cox::schedule {

// The engine's interface to a pass that is paused between two parts (pass.h). While a pass is
// paused, the engine's free room and used limits include what the pass has decided.
class PausedPass {
 public:
  // Returns whether the pass decided that the job starts, preempts, moves or is resumed.
  virtual bool has_decided(JobId id) const = 0;
  // Records that this array task was split off a queued job that stands for several equal tasks:
  // the pass decided to start one of them, and that decision is for this task.
  virtual void note_split(JobId id) = 0;
  // Restores the free room and the limits to what they were before the pass.
  virtual void undo() = 0;

 protected:
  ~PausedPass() = default;
};

class Engine {
 public:
  explicit Engine(std::vector<SchedulerNode> nodes, Settings settings = {});
  ~Engine();
  Engine(const Engine&) = delete;  // each Pass keeps a reference to its engine
  Engine& operator=(const Engine&) = delete;

  // Replaces all nodes. Running jobs keep what they hold on nodes that remain. If the nodes differ
  // only in availability, the free room is kept, and only the requests are resolved to nodes anew.
  void set_nodes(std::vector<SchedulerNode> nodes);

  // Replaces all quotas of accounts. REQUIRES: the order that Quotas::set() requires (quota.h).
  void set_quotas(std::vector<Quota> all);

  // Replaces all advance reservations. Must be called when a reservation changes and when one of
  // its occurrences ends.
  void set_reservations(std::vector<AdvanceReservation> all);

  // Add a job, or replace the job with the same id. The last call says whether the job is pending
  // or running. Nodes claimed for a job (see claim()) stay claimed while it is queued, also if it
  // stops running and is put again as pending. The claim ends when the queued job starts, is held
  // or is removed.
  void put(PendingJob job);
  void put(RunningJob job);
  void remove(JobId id);  // does nothing if the id is unknown
  // Sets the number of equal array tasks that the queued job stands for; the job keeps its queue
  // position. REQUIRES: the job is queued.
  void set_copies(JobId id, std::int64_t copies);

  // Reserves the nodes of `placement` for the job, as a plan has decided, until the job starts or
  // leaves the queue. The job is queued, or it is running and will be stopped, moved and queued
  // again. If the job is neither, this does nothing.
  void claim(JobId id, Placement placement);
  void drop_claim(JobId id);  // does nothing if the job has no claim
  // Records that the array task `id` was split off the queued job `from`, which stands for several
  // equal tasks. If the paused pass decided to start a task of `from`, that decision is for `id`.
  void note_split(JobId from, JobId id);

  // Counts the request of a newly submitted job in the history that the placement `fgd` uses.
  void learn(const Request& request) { usual_.learn(request); }
  void set_usual(DemandProfile usual) { usual_ = std::move(usual); }
  // Returns the counts of earlier requests that the next pass uses for the placement `fgd`. They
  // are renewed from the history only now and then, not at each submission.
  const std::map<UsualRequest, double>& usual();

  // Records, for the order `gittins`, that a job of this many units (GPUs; without GPUs, CPUs)
  // ended after this run time. Does nothing under other orders.
  void learn_ended(JobId id, std::int64_t units, Milliseconds service) {
    if (settings_.order == OrderPolicy::Gittins) lifetimes_.learn_ended(id, units, service);
  }
  void set_weights(const LifetimeWeights& weights) { lifetimes_.set_weights(weights); }
  void restore_ended(const std::vector<Lifetimes::Ended>& ended) {
    lifetimes_.restore_ended(ended);
  }
  std::vector<Lifetimes::Ended> ended() const { return lifetimes_.ended(); }

  // Records that a job started for the first time, after this wait for room. A longer wait than
  // max_age counts as max_age.
  void learn_wait(Standing standing, Wall started, Milliseconds waited) {
    waits_.learn(standing, started, std::min(waited, settings_.priority.max_age));
  }
  const LongestWaits& waits() const { return waits_; }
  void restore_waits(const std::vector<LongestWaits::Kept>& kept) { waits_.restore(kept); }
  // Returns the wait after which a job of this standing goes first (order.h).
  // REQUIRES: ends_starvation() of the order.
  Milliseconds max_age(Standing standing, Wall now) const {
    return max_age_of(settings_.priority, waits_.of(standing, now));
  }
  // Returns since when a job of this standing must have been queued to go first. It moves in steps
  // of 1/256 of max_age(), because each step looks at all queued jobs of the standing.
  Wall aged_since(Standing standing, Wall now) const;

  // Returns the next time at which a pass may decide otherwise although no fact has changed: a job
  // has waited long enough for few switches, may be preempted or may grow, or an advance
  // reservation begins or ends.
  std::optional<Boot> next_change(Now now) const;

  const Ground& ground() const { return *ground_; }
  const Nodes& nodes() const { return ground_->nodes(); }
  const Settings& settings() const { return settings_; }
  const PendingQueue& queue() const { return queue_; }
  const std::map<JobId, PendingJob>& held() const { return held_; }
  const std::map<JobId, Running>& running() const { return running_; }
  const RunningCounts& counts() const { return counts_; }
  // Returns the queued job with its present request and priority. REQUIRES: the job is queued.
  PendingJob pending(JobId id) const;
  struct KeptPlace {
    Shared<Request> request;
    Placement placement;
    GangParts shares;
    Shared<Limits> limits;
  };
  const std::map<JobId, KeptPlace>& claims() const { return claims_; }
  // Returns whether the job's limits still allow the place that is claimed for it; they may have
  // been lowered since. REQUIRES: the job has a claim.
  bool allows_claim(JobId id) const;
  const LimitUse& limit_use() const { return limit_use_; }
  // Sets the amount that counts against the limit in addition to what jobs hold (LimitUse::charge).
  void charge_limit(std::int32_t limit, std::int64_t count) { limit_use_.charge(limit, count); }

  // Called by the Scheduler before a whole pass and before the first part of a pass: updates what
  // depends on the time, such as priorities.
  void begin_pass(Now now);
  // Registers a pass that has more parts, until end_pause(). Room that jobs take or give back
  // meanwhile is applied to the free room only when the pass is over, because the pass itself has
  // taken the room of its starts. Some facts cannot be combined with the pass: other nodes, quotas
  // or reservations, and room that is taken by or claimed for a job without a decision. After such
  // a fact the engine undoes the pass and drops it.
  void pause(PausedPass& pass);
  bool has_paused_pass() const { return paused_.has_value(); }
  // Applies to the free room what jobs have taken and given back since the pass was first paused.
  // Called before another, whole pass runs while the paused one is set aside, and at the end of the
  // paused pass.
  void catch_up();
  void end_pause();

  // For passes.
  Ground& ground() { return *ground_; }
  // Resolves a request that no queued job need have, like Ground::need_at(). The engine adds the
  // request to its pool, so the result stays valid as it does for requests of queued jobs.
  const ResolvedRequest& need_of(const Request& request, Boot from,
                                 std::optional<Milliseconds> lasts);
  LimitUse& limit_use() { return limit_use_; }
  Quotas& quotas() { return quotas_; }
  const Quotas& quotas() const { return quotas_; }
  const std::vector<Quota>& quotas_set() const { return quotas_set_; }
  // Returns the first alternative of the request that the placement serves: it accepts the granted
  // GPU type and, with --mincpus, asks for as many nodes. If none does, returns the request itself.
  const Request& served_by(const Request& request, const Placement& placement) const;
  Whole whole_of(const Request& request, const Placement& placement) const;
  // Counts against the job's limits what it holds by its claim or its grants, replacing what a pass
  // has counted for it.
  void update_limits(JobId id);

 private:
  bool waits(JobId id) const { return queue_.contains(id) || held_.contains(id); }
  void add_pending(PendingJob job);
  void leave_queue(JobId id);
  void add_running(RunningJob job);
  void remove_running(JobId id);
  // Updates a running job. It keeps what it holds, except its CPUs while it is suspended and the
  // nodes that it has given back.
  void change_running(RunningJob job);
  bool is_paused_without(JobId id) const { return paused_ && !paused_->pass->has_decided(id); }
  void break_off();
  void forget_unused();
  void learn_usual();
  void expire_patience(Wall now);
  void rank(Boot now);
  void rank_by_lifetimes(Boot now);
  void take_room(JobId id, const Shared<GangParts>& shares);
  void give_back_room(const Shared<GangParts>& shares);
  void give_back_nodes(Running& running, const Placement& left);

  Settings settings_;
  std::unique_ptr<Ground> ground_;
  RequestPool requests_;
  DemandProfile usual_;
  Lifetimes lifetimes_;
  LongestWaits waits_;
  PendingQueue queue_;
  Patience patience_;
  std::map<JobId, PendingJob> held_;
  std::map<JobId, Running> running_;
  // What is known of a queued job that has run before: its run time, and the run time left.
  struct Past {
    Milliseconds ran{0};
    std::optional<Milliseconds> work_left;
  };
  std::map<JobId, Past> past_;
  std::map<JobId, KeptPlace> claims_;
  LimitUse limit_use_;
  std::vector<Quota> quotas_set_;
  Quotas quotas_;
  RunningCounts counts_;

  struct RoomChange {
    bool takes = false;  // true: a job takes `shares`; false: it gives them back
    Shared<GangParts> shares;
  };
  struct Paused {
    PausedPass* pass;
    std::vector<RoomChange> changes;  // of the free room, in order, since the first pause
  };
  std::optional<Paused> paused_;
};

}  // namespace cox::schedule
