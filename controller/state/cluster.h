// All state of the controller, in memory: a copy of PostgreSQL, which only load and apply change,
// and soft state (last contact with each node, connections), which is rebuilt from workers'
// messages. One thread owns it. Later rooms read it, and change it only through Reaction
// (controller/ledger/reaction.h).
//
// Each part has a class of its own, with its rows and their indexes. Cluster decides how a change
// affects each part, and marks in Dirty what the scheduling engine must update.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/change/change.h"
#include "controller/change/crontabs.h"
#include "controller/change/event_trigger_book.h"
#include "controller/change/store.h"
#include "controller/job/spec_pool.h"
#include "controller/state/accounting_state.h"
#include "controller/state/checkpoint_table.h"
#include "controller/state/deadlines.h"
#include "controller/state/dirty.h"
#include "controller/state/eligibility.h"
#include "controller/state/job_requests.h"
#include "controller/state/job_table.h"
#include "controller/state/node_table.h"
#include "controller/state/partition_table.h"
#include "controller/state/reservation_table.h"
#include "controller/state/soft_state.h"
#include "controller/state/wait_records.h"

namespace cox {

class Cluster {
 public:
  explicit Cluster(ControllerConfig config);
  // No copies, since parts of the cluster have references to each other.
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Replaces all stored state. The soft state of nodes (NodeContact) is kept.
  void load(Snapshot snapshot, Now now);
  // Applies one change to memory. Nothing else changes stored state. CHECKs the conditions under
  // which the store applies it too.
  void apply(const Change& change, Now now);

  // ---- the parts
  const ControllerConfig& config() const { return partitions_.config(); }
  const PartitionTable& partitions() const { return partitions_; }
  const NodeTable& nodes() const { return nodes_; }
  const Node* node(const std::string& name) const { return nodes_.find(name); }
  const JobTable& jobs() const { return jobs_; }
  const JobEntry* job(JobId id) const { return jobs_.find(id); }
  const Eligibility& eligibility() const { return eligibility_; }
  const LiveDeadlines& deadlines() const { return deadlines_; }
  const CheckpointTable& checkpoints() const { return checkpoints_; }
  const AccountingState& accounting() const { return accounting_; }
  const ReservationTable& reservations() const { return reservations_; }
  const JobRequests& requests() const { return requests_; }
  const WaitRecords& waits() const { return waits_; }
  const Crontabs& crontabs() const { return crontabs_; }
  const EventTriggerBook& triggers() const { return triggers_; }
  const SoftState& soft() const { return soft_; }
  SoftState& soft() { return soft_; }
  // What has changed since EngineFeed last updated the scheduling engine: EngineFeed reads and
  // clears it.
  const Dirty& dirty() const { return dirty_; }
  Dirty& dirty() { return dirty_; }

  // ---- the leader
  Term term() const { return term_; }
  Boot loaded() const { return loaded_; }  // when the state was last read from the store
  const std::string& identity_seed() const { return identity_seed_; }
  const std::vector<Failover>& failovers() const { return failovers_; }
  // Returns whether the database has ever recorded an attempt.
  bool has_attempts() const { return has_attempts_; }
  // Returns the failover after which some node has yet to report what it runs. Until then no job
  // starts. Null: there is none.
  const Failover* failover() const;
  // Counts changes of state. A value that was computed at a lower count may be out of date.
  std::int64_t changes_applied() const { return changes_applied_; }

  // ---- changes of soft state on which other state depends. For Reaction.
  // Marks a node and its jobs when it has changed whether the node gets work or can be reached.
  void availability_changed(const std::string& node);
  // Takes how long the live attempt of the job has run, as a worker reports it.
  void take_run_time(JobId id, Milliseconds ran, Boot now);
  void restart_preparing(JobId id, Boot now) { deadlines_.restart_preparing(id, now); }
  void set_retry_after(JobId id, Boot at);  // Boot{}: the job may be launched at once
  void let_begin(JobId id);                 // to be called when the begin time of the job has come
  void never_issue(JobId id) { jobs_.never_issue(id); }
  void follow_names() { eligibility_.follow_names(); }
  void know_groups(const HostGroups& found) { partitions_.know_groups(found); }
  // Computes which named hours are open now. If that has changed, updates the partitions and limits
  // that depend on hours, and returns true.
  bool settle_hours(Now now);
  std::vector<std::string> take_reservation_upkeep(Boot now, Milliseconds interval,
                                                   std::size_t most) {
    return reservations_.take_upkeep(now, loaded_, interval, most);
  }
  // Updates what depends on limits. Called after all changes of one request that change limits of
  // these jobs.
  void limits_changed(const std::vector<JobId>& jobs);
  // Adds or replaces these QOS, for example after an administrator changed them by SQL.
  void set_qos(std::vector<Qos> all);
  // Returns the specification; equal specifications share one object.
  Shared<ParsedSpec> shared_spec(const Shared<ParsedSpec>& spec) {
    return specs_.shared_with_terms(spec);
  }

  // ---- what EngineFeed has computed
  // Records the priority with which the job was queued, to show it.
  void keep_priority(JobId id, double priority) { jobs_.entry(id).priority = priority; }
  void keep_fair_shares(std::map<AssociationId, double> all) {
    accounting_.keep_fair_shares(std::move(all));
  }

  // CHECKs every cross-reference. Tests and the simulator call it.
  void verify() const;

 private:
  void load_nodes(std::vector<Node> nodes, Now now);
  void load_jobs(Snapshot& snapshot, Now now);
  void load_steps(std::vector<Step> steps);
  void put_node(Node node);
  void touch(JobEntry& entry);
  void index(JobEntry& entry);
  void count(JobEntry& entry, std::int64_t jobs);
  void mark_live();
  void requests_changed();
  void settle_gpu_types();
  void set_open_hours(std::set<std::string> open);
  void change_partitions(const std::set<std::string>& names, const std::function<void()>& edit);
  void change_reservations(bool draws_in, const std::function<void()>& edit);
  void verify_job(const JobEntry& entry) const;
  void verify_room() const;

  void apply_one(const JobAdded& change, Now now);
  void apply_one(const JobChanged& change, Now now);
  void apply_one(const JobRespecified& change, Now now);
  void apply_one(const JobForgotten& change, Now now);
  void apply_one(const AttemptAdded& change, Now now);
  void apply_one(const AttemptChanged& change, Now now);
  void apply_one(const StepPut& change, Now now);
  void apply_one(const CheckpointAdded& change, Now now);
  void apply_one(const CheckpointChanged& change, Now now);
  void apply_one(const EventAdded& change, Now now);
  void apply_one(const WaitPut& change, Now now);
  void apply_one(const WaitRemoved& change, Now) { waits_.remove(change.id); }
  void apply_one(const EstimateResolved& change, Now) { waits_.add(change.estimate); }
  void apply_one(const NodeChanged& change, Now now);
  void apply_one(const NodeEventAdded&, Now) {}
  void apply_one(const PartitionChanged& change, Now now);
  void apply_one(const PartitionRemoved& change, Now now);
  void apply_one(const AssociationPut& change, Now now);
  void apply_one(const AssociationRemoved& change, Now now);
  void apply_one(const QosPut& change, Now now);
  void apply_one(const QosRemoved& change, Now now);
  void apply_one(const QosUsed& change, Now now);
  void apply_one(const RequestAnswered&, Now) {}
  void apply_one(const ReservationPut& change, Now now);
  void apply_one(const ReservationRemoved& change, Now now);
  void apply_one(const FailoverChanged& change, Now now);
  template <class CrontabChange>
  requires requires(Crontabs& crontabs, const CrontabChange& change) { crontabs.apply(change); }
  void apply_one(const CrontabChange& change, Now) {
    crontabs_.apply(change);
    ++changes_applied_;
  }
  void apply_one(const EventTriggerPut& change, Now) { triggers_.put(change.trigger); }
  void apply_one(const EventTriggerRemoved& change, Now);

  Term term_;
  Boot loaded_{};
  std::string identity_seed_;
  std::vector<Failover> failovers_;  // by term
  bool has_attempts_ = true;
  std::int64_t changes_applied_ = 0;
  PartitionTable partitions_;
  NodeTable nodes_;
  JobTable jobs_;
  WaitRecords waits_;
  Eligibility eligibility_;
  LiveDeadlines deadlines_;
  CheckpointTable checkpoints_;
  AccountingState accounting_;
  ReservationTable reservations_;
  JobRequests requests_;
  Crontabs crontabs_;
  EventTriggerBook triggers_;
  SpecPool specs_;
  SoftState soft_;
  Dirty dirty_;
};

}  // namespace cox
