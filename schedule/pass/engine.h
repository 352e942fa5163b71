// The facts that scheduling passes decide by, kept up to date one by one, with what was worked out
// from them. What an engine remembers between passes follows from the facts alone, so that a pass
// after the end of one job costs only what that end changed. A property test checks that an engine
// which was updated fact by fact decides as a new one that is given all facts at once.
//
// A Scheduler owns the engine and makes the passes over it (scheduler.h). The owner of the
// Scheduler adds and removes the facts: the controller's Cluster, the simulated cluster of
// `cox simulate`, or a test.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "schedule/model/nodes.h"
#include "schedule/model/request_pool.h"
#include "schedule/model/resolved_request.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/model/tracked_room.h"
#include "schedule/pass/preempt.h"
#include "schedule/place/advance.h"
#include "schedule/place/fitting.h"
#include "schedule/place/matcher.h"
#include "schedule/place/ranking.h"
#include "schedule/queue/lifetimes.h"
#include "schedule/queue/limit_use.h"
#include "schedule/queue/patience.h"
#include "schedule/queue/pending_queue.h"
#include "schedule/queue/quota.h"

namespace cox::schedule {

// What was worked out for one need on the free room, and how far it has followed the changes.
struct Watch {
  std::optional<Fitting> fitting;
  Followed fitting_followed;
  std::optional<Ranking> ranking;
};

// A room that is kept while facts change, with what was worked out on it.
struct WatchedRoom {
  explicit WatchedRoom(Room kept) : room(std::move(kept)) {}
  TrackedRoom room;
  std::unordered_map<const ResolvedRequest*, Watch> watches;

  bool fits(const ResolvedRequest& need, const Nodes& nodes);
};

// A pass that is paused between two parts, as the engine sees it (pass.h). While a pass is paused,
// the free room and the limits in use are as the pass has them.
class PausedPass {
 public:
  // Whether the pass decided that the job starts, preempts, moves or is resumed.
  virtual bool has_decided(JobId id) const = 0;
  // What was decided for a job that stands for several is from now on decided for this one of them.
  virtual void note_split(JobId id) = 0;
  // Puts the free room and the limits back as they were before the pass.
  virtual void undo() = 0;

 protected:
  ~PausedPass() = default;
};

class Engine {
 public:
  explicit Engine(std::vector<SchedulerNode> nodes, Settings settings = {});
  ~Engine();
  Engine(const Engine&) = delete;  // needs point into it
  Engine& operator=(const Engine&) = delete;

  // Nodes that come, go or change, all of them: what runs stays, as far as its nodes do. When only
  // who is available differs, what was worked out for needs is worked out anew, and nothing else.
  void set_nodes(std::vector<SchedulerNode> nodes);

  // What accounts have, all of them; by limits that jobs count against (quota.h has the order).
  void set_quotas(std::vector<Quota> all);

  // Advance reservations, all of them: when one changes, and when an occurrence is over.
  void set_reservations(std::vector<AdvanceReservation> all);

  // REQUIRES: of each job one of these, or none; removed as it was added.
  void add(PendingJob job);
  // `comes_back`: it is added again before anything else: what is kept for it stays.
  void remove(PendingJob job, bool comes_back = false);
  // It stands for so many from now on, and keeps its place. REQUIRES: it is in line.
  void set_copies(PendingJob job, std::int64_t copies);
  void add(RunningJob job);
  void remove_running(JobId id);
  // It holds what it held, but for its CPUs when it stands still, and for nodes it has given back.
  void change(RunningJob job);

  // As a plan said it, the place is kept for the job until it starts or leaves the line: of one in
  // line, or of one that stops to be moved and will be in line again (nothing, if it runs no more).
  void claim(const PendingJob& job, Placement placement);
  void claim_home(JobId id, Placement placement);
  void drop_claim(JobId id);  // if there is one
  // What the pass that goes on in parts has decided of one of those that the first job stands for
  // is of the second, which is that one. REQUIRES: it is in line.
  void note_split(JobId from, JobId id);

  // A job has come: what it asks for becomes more usual. History that no fact tells.
  void learn(const Request& request) { usual_.learn(request); }
  void know_usual(DemandProfile usual) { usual_ = std::move(usual); }
  // As the next pass places by it: not each job that comes makes a difference.
  const std::map<UsualRequest, double>& usual();

  // One of so many units (GPUs; CPUs where it has none) has ended after so much service: history.
  void learn_ended(JobId id, std::int64_t units, Milliseconds service) {
    if (settings_.order == OrderPolicy::Gittins) lifetimes_.learn_ended(id, units, service);
  }
  void know_ended(const std::vector<Lifetimes::Ended>& ended) { lifetimes_.know_ended(ended); }
  std::vector<Lifetimes::Ended> ended() const { return lifetimes_.ended(); }

  // Returns when a pass may decide otherwise than now although no fact changes: a job has waited
  // long enough for few switches, may be preempted or may grow, or an advance reservation begins or
  // ends.
  std::optional<Boot> next_change(Now now) const;

  const Nodes& nodes() const { return ground_->nodes; }
  const Settings& settings() const { return settings_; }
  const PendingQueue& line() const { return queue_; }
  const std::map<JobId, PendingJob>& held() const { return held_; }
  const std::map<JobId, Running>& running() const { return running_; }
  const std::map<JobId, PendingJob>& resuming() const { return resuming_; }  // ran before
  struct Kept {
    std::optional<PendingJob> job;  // once it is in line
    Shared<Request> request;
    Placement placement;
    GangParts shares;
    Shared<Limits> limits;
  };
  const std::map<JobId, Kept>& kept() const { return kept_; }
  // Limits may have been lowered since the place was kept. REQUIRES: there is one.
  bool allows_claim(JobId id) const;
  const LimitUse& limit_use() const { return limit_use_; }
  // What was used before counts against it besides.
  void charge_limit(std::int32_t limit, std::int64_t count) { limit_use_.charge(limit, count); }

  // For the Scheduler. Prepares what a whole pass, or the first part of one, decides by.
  void begin_pass(Now now);
  // Notes a pass that has more parts, until end_pause(). Room that jobs take or give back meanwhile
  // changes the free room only when the pass is over, because the pass has taken the room of its
  // starts itself. If a fact comes that the pass cannot allow for (other nodes, quotas or
  // reservations, or room taken by or claimed for a job it has not decided on), the engine undoes
  // the pass and forgets it.
  void pause(PausedPass& pass);
  bool has_paused_pass() const { return paused_.has_value(); }
  // Applies the changes of room since the pass was paused first: for a whole pass in between, for
  // which the paused pass is set aside; and for good, once the paused pass is over.
  void catch_up();
  void end_pause();

  // For passes.
  void note_work(std::int64_t nodes_looked_at) { work_ += nodes_looked_at; }
  std::int64_t work() const { return work_; }
  Matcher& matcher() { return ground_->matcher; }
  AdvanceReservations& advance() { return *ground_->advance; }
  const AdvanceReservations& advance() const { return *ground_->advance; }
  // On the nodes that are available and open to it, if it starts then and stays for so long (empty:
  // for good). REQUIRES: the request is one of those kept.
  const ResolvedRequest& need_at(const Request& request, Boot from,
                                 std::optional<Milliseconds> lasts) {
    return matcher().need(request, Availability::Required,
                          advance().closed(request.reservation, from, lasts));
  }
  // The same of any; it is kept as those in line are.
  const ResolvedRequest& need_of(const Request& request, Boot from,
                                 std::optional<Milliseconds> lasts);
  TrackedRoom& free() { return ground_->free; }
  LimitUse& limit_use() { return limit_use_; }
  Quotas& quotas() { return quotas_; }
  const Quotas& quotas() const { return quotas_; }
  const std::vector<Quota>& quotas_set() const { return quotas_set_; }
  // The alternative that has the GPUs of a place.
  const Request& served_by(const Request& request, const Placement& placement) const;
  Whole whole_of(const Request& request, const Placement& placement) const;
  // It holds what the facts say, whatever a pass had decided.
  void settle_limits(JobId id);
  bool fits_now(const ResolvedRequest& need);
  // The nodes of a gang of equal shares, the least bad; empty: there are too few.
  std::vector<NodeAt> best_now(const ResolvedRequest& need);
  // All nodes that hold a part of it now, and maybe others that do not, ascending. REQUIRES: the
  // need is one of the matcher's: what is worked out for it is kept.
  std::vector<NodeAt> holding_now(const ResolvedRequest& need);
  std::size_t stopping_count() const { return stopping_count_; }
  std::size_t movable_count() const { return movable_count_; }
  std::size_t elastic_count() const { return elastic_count_; }
  std::size_t suspended_count() const { return suspended_count_; }
  bool somebody_yields(std::int64_t tier_max) const;
  // Whether the need would fit if all up to this tier gave way, and all that is stopping were gone:
  // what does not, no choice of victims makes fit. Kept as jobs come and go.
  bool fits_if_all_yield(const ResolvedRequest& need, std::int64_t tier_max);

 private:
  // What counts by positions of nodes.
  struct Ground {
    Ground(std::vector<SchedulerNode> scheduler_nodes, const Settings& settings,
           const std::vector<AdvanceReservation>& reservations)
        : nodes(std::move(scheduler_nodes), settings),
          matcher(nodes, settings.placement),
          free(matcher.idle()),
          alike(std::make_unique<NodeGroups>(nodes, free)),
          advance(std::make_unique<AdvanceReservations>(nodes, reservations)) {}
    Nodes nodes;
    Matcher matcher;
    TrackedRoom free;
    std::unique_ptr<NodeGroups> alike;  // over the free room
    std::unique_ptr<AdvanceReservations> advance;
    std::unordered_map<const ResolvedRequest*, Watch> watches;
    std::map<std::int64_t, WatchedRoom> if_yielded;  // by the highest tier that gives way
    std::int64_t usual_version = 0;                  // that the matcher has learnt
    std::map<UsualRequest, double> usual = {};       // ... and what that was
  };

  Kept& keep(JobId id, Placement placement, const Shared<Request>& request);
  bool is_paused_without(JobId id) const { return paused_ && !paused_->pass->has_decided(id); }
  void break_off();
  void forget_unused();
  void forget_needs();
  Ranking& ranking_of(const ResolvedRequest& need);
  void learn_usual();
  void lose_patience(Wall now);
  void rank(Boot now);
  void rank_by_lifetimes(Boot now);
  void count(const Running& running, int change);
  void take_room(JobId id, const Shared<GangParts>& shares);
  void give_back_room(const Shared<GangParts>& shares);
  void give_back_nodes(Running& running, const Placement& left);
  void take_if_it_stays(const Running& running);
  void give_back_if_it_stayed(const Running& running);

  Settings settings_;
  std::unique_ptr<Ground> ground_;
  RequestPool requests_;
  DemandProfile usual_;
  Lifetimes lifetimes_;
  PendingQueue queue_;
  Patience patience_;
  std::map<JobId, PendingJob> held_;
  std::map<JobId, Running> running_;
  std::map<JobId, PendingJob> resuming_;  // those in line that have had service
  std::map<JobId, Kept> kept_;
  LimitUse limit_use_;
  std::vector<Quota> quotas_set_;
  Quotas quotas_;
  std::size_t stopping_count_ = 0;
  std::size_t movable_count_ = 0;
  std::size_t elastic_count_ = 0;
  std::size_t suspended_count_ = 0;
  std::map<std::int32_t, std::int64_t> preemptable_by_tier_;
  std::int64_t work_ = 0;

  struct RoomChange {
    bool takes = false;  // else it gives back
    Shared<GangParts> shares;
  };
  struct Paused {
    PausedPass* pass;
    std::vector<RoomChange> changes;  // since the pass was paused first
  };
  std::optional<Paused> paused_;
};

}  // namespace cox::schedule
