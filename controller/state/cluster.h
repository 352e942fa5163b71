// All state of the controller, in memory: a copy of PostgreSQL (loaded, then changed by apply
// alone) and what is only believed (when a node was heard, which connection is whose), which is
// rebuilt from what workers say. One thread owns it. Rooms behind this one read it, and
// change it only through Reaction (controller/ledger/reaction.h).
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "common/cluster/config.h"
#include "controller/change/arrays.h"
#include "controller/change/change.h"
#include "controller/change/crontabs.h"
#include "controller/change/event.h"
#include "controller/change/event_trigger_book.h"
#include "controller/change/node_contact.h"
#include "controller/change/store.h"
#include "controller/change/turn_statistics.h"
#include "controller/limits/accounts.h"
#include "controller/limits/partitions.h"
#include "controller/limits/qos_limits.h"
#include "controller/state/dependants.h"
#include "controller/state/job_entry.h"
#include "controller/state/per_spec_cache.h"
#include "controller/state/shape.h"
#include "controller/state/spec_pool.h"
#include "schedule/top/scheduler.h"

namespace cox {

// Deadlines of a live attempt, on the controller's boot clock.
struct Deadlines {
  Boot prepare{};             // CONFIGURING: to be ready by; SUSPENDED: to stand still by
  std::optional<Boot> limit;  // RUNNING: the time limit
  std::optional<Boot> grace;  // SIGNALING: when SIGTERM follows
  Boot settle{};  // COMPLETING: until then a fault of a node may turn out to be the cause
};

// What the last scheduling pass said of a waiting job.
struct PendingReason {
  WaitReason reason = WaitReason::None;
  std::string detail;
  std::vector<std::string> lines;
  std::optional<Boot> expected_start;
  bool complete = false;         // as for somebody who asks about this job
  bool at_the_earliest = false;  // expected_start
};

// What `cox snapshot` hands out in parts.
struct KeptSnapshot {
  std::int64_t number = 0;
  std::string text;
};

// What stays known of a checkpoint once memory has forgotten the job.
KeptCheckpoint kept_of(const JobEntry& e, const Checkpoint& c);

class Cluster {
 public:
  explicit Cluster(ControllerConfig config);

  // Replaces everything that is stored; what is believed of nodes is kept.
  void load(Snapshot snapshot, Now now);

  // The one door: folds one change into memory. CHECKs what the store guards.
  void apply(const Change& change, Now now);

  const ControllerConfig& config() const { return config_; }
  Term term() const { return term_; }
  JobId next_job() const { return next_job_; }
  // Belief: it was issued in what a failover or a restore has lost.
  void never_issue(JobId id);
  const std::string& identity_seed() const { return identity_seed_; }
  const KeptCheckpoints& kept_checkpoints() const { return kept_checkpoints_; }
  // Some job that has not ended begins from a checkpoint of this one, or from that of this step.
  bool is_begun_from(JobId source) const;
  bool is_begun_from(JobId source, std::int64_t step) const;
  // Belief: true once in each interval.
  bool take_checkpoint_watch(Boot now, Milliseconds interval);
  // Returns the reservations whose upkeep is due, at most so many, and notes that it is done. In
  // each interval every reservation is returned once. The first time is an interval after the
  // start, when nodes have had time to report.
  std::vector<std::string> take_reservation_upkeep(Boot now, Milliseconds interval,
                                                   std::size_t most);
  // Since when each had no jobs, of those that end when they are idle.
  std::map<std::string, Boot>& idle_reservations() { return idle_reservations_; }
  const std::vector<Failover>& failovers() const { return failovers_; }
  // The one of which some node has yet to tell what it runs: no job starts. Null: there is none.
  const Failover* failover() const;
  Boot loaded() const { return loaded_; }  // when all this was last read from the store
  const std::map<JobId, JobEntry>& jobs() const { return jobs_; }
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  const std::map<std::string, AdvanceReservation>& reservations() const { return reservations_; }
  // All that its nodes have. Jobs are weighed against it whenever one enters the line.
  struct Size {
    std::int64_t cpus = 0;
    std::int64_t gpus = 0;
  };
  const Size& size() const { return size_; }
  const std::map<std::string, Qos>& qos() const { return qos_; }
  // Of those whose jobs have used anything.
  const std::map<std::string, QosUsage>& qos_usage() const { return qos_usage_; }
  // UP, of one that nobody has changed.
  const Partition& partition(const std::string& name) const;
  // Returns whether an administrator created the partition at run time (scontrol create partition).
  bool is_made_partition(const std::string& name) const { return made_partitions_.contains(name); }
  // Belief: the groups of the controller's host that made partitions name. Those that have been
  // found before stay known when they cannot be looked up later.
  void know_groups(const HostGroups& found);
  const HostGroups& groups() const { return groups_; }
  // The groups that made partitions name and that have not been found, with these partitions.
  std::map<std::string, std::vector<std::string>> groups_wanted() const;
  // Those of the configuration that are open, and whether a partition is by its own.
  const std::set<std::string>& open_hours() const { return open_hours_; }
  bool is_open(const PartitionConfig& partition) const;
  // Belief: which hours are open. Whether some have turned: whom they limit or keep out is judged
  // anew.
  bool settle_hours(Now now);
  // Those in which the job would start now, in the order in which it tries them.
  Partitions open_partitions(const JobSpec& spec) const;
  // None of those it names starts it now, whatever room there is.
  bool keeps_out(const JobSpec& spec) const;
  // Those in which it may run: where it does, or all that it names.
  Partitions partitions_of_job(const JobEntry& entry) const;
  // What waits and none of whose partitions starts it.
  const std::set<JobId>& kept_out() const { return kept_out_; }
  const JobEntry* job(JobId id) const;
  const Node* node(const std::string& name) const;
  const Qos& qos_of(const JobSpec& spec) const;
  // As its partition has it: what preemption does to a job may be said there.
  const Qos& qos_of(const JobEntry& entry) const;
  // Those whose limits bind the job: its own last, before it those of the partitions it may run in.
  std::vector<const Qos*> qos_binding(const JobEntry& entry) const;
  // The same of one that is not there yet.
  std::vector<const Qos*> qos_binding(const JobSpec& spec) const;
  // The tiers as the database has them now: an administrator changed them there.
  void set_qos(std::vector<Qos> all);
  // What a job counts against while it runs.
  Shared<schedule::Limits> limits_of(const JobEntry& entry) const;
  const LimitRegistry& limits_in_use() const { return limits_in_use_; }
  const Accounts& accounts() const { return accounts_; }
  // How soon its jobs are to be served, of 0 to 1 (fair_share.h).
  double fair_share_of(AssociationId id) const;
  // Belief: works out who has had least of what is theirs, if that has changed, and orders the line
  // by it.
  void settle_fair_shares(Now now);
  // Around changes of associations of these accounts, all of one request: their jobs, and those of
  // the accounts below, step aside and back again.
  std::vector<JobId> step_aside(const std::set<std::string>& accounts);
  void step_back(const std::vector<JobId>& jobs);
  std::optional<JobId> job_of_request(const std::string& request_id) const;
  const std::set<JobId>& unfinished() const { return unfinished_; }    // not in a final state
  std::int64_t unfinished_count() const { return unfinished_count_; }  // each task of an array
  const Arrays& arrays() const { return arrays_; }
  const Crontabs& crontabs() const { return crontabs_; }
  const std::set<JobId>& live() const { return live_; }          // with a live attempt
  const std::set<JobId>& retrying() const { return retrying_; }  // with a retry_after
  // Those that begin later, and those that have to start by some time, by that time.
  using Moments = std::set<std::pair<Wall, JobId>>;
  const Moments& begins() const { return begins_; }
  // Pending jobs that a requeue after their end keeps out, at the latest until then: the clock may
  // be set back meanwhile.
  const std::map<JobId, Boot>& put_off() const { return put_off_; }
  const Moments& latest_starts() const { return latest_starts_; }
  // Its time to begin has come.
  void let_begin(JobId id);
  const Dependants& dependants() const { return dependants_; }
  // Jobs that can never start and of which it is not stored why: what they waited for is kept until
  // it is.
  const std::set<JobId>& hopeless_unrecorded() const { return hopeless_unrecorded_; }
  // From now on all names are known, if they were not: an index, and no state.
  void follow_names();
  // Final states still in memory, the earliest end first.
  const std::set<std::pair<Wall, JobId>>& ended() const { return ended_; }
  // Ids of jobs with a live attempt on the node.
  std::vector<JobId> jobs_on(const std::string& node) const;

  const NodeContact& contact(const std::string& node) const;
  // Beliefs: no change of state, so no door. Whoever changes what makes a node available (session,
  // shares_checkpoints, ends_foreign) says so.
  NodeContact& believe(const std::string& node) { return contacts_[node]; }
  void availability_changed(const std::string& node);
  // What a pass has decided of one of those that the first job stood for is of the second.
  void note_split(JobId from, JobId id) { scheduler_->engine().note_split(from, id); }
  // The place is kept for the job until it leaves the line.
  void claim(JobId id, Placement placement);
  const Deadlines& deadlines_of(JobId id) const;  // none of a job that is not live
  void believe_limit(JobId id, Boot limit);       // nothing happens when it is not live
  // Where a step's client is called; null: not known, it will say so again.
  const StreamPlace* streams_of(const StepKey& key) const;
  void believe_streams(const StepKey& key, StreamPlace place) { streams_[key] = std::move(place); }
  // What was told when somebody last looked; nothing of a job that was not judged.
  const PendingReason& pending_reason_of(JobId id) const;
  const std::map<JobId, PendingReason>& pending_reasons() const { return pending_reasons_; }
  const std::map<JobId, JobWait>& waits() const { return waits_; }
  // What of that is stored; null: nothing yet.
  const JobWait* wait_of(JobId id) const;
  const std::deque<StartEstimate>& estimates() const { return estimates_; }
  void keep_pending_reason(JobId id, PendingReason pending) {
    pending_reasons_[id] = std::move(pending);
  }
  void forget_pending_reasons() { pending_reasons_.clear(); }
  void hear_client(JobId id, Boot at) { entry(id).client_heard = at; }
  void note_launch(JobId id, JobEntry::Launch launch) {
    entry(id).launch = launch;
    entry(id).prolog_asked = Boot{};
  }
  void note_prolog_asked(JobId id, Boot at) { entry(id).prolog_asked = at; }
  // The time to prepare it begins now.
  void restart_preparing(JobId id, Boot now) {
    deadlines_[id].prepare = now + config_.prepare_timeout;
  }
  void set_retry_after(JobId id, Boot at);  // Boot{}: it may be launched
  // The count of changes (changes_applied) at which pending reasons were last made; -1: they are
  // out of date.
  std::int64_t& told_at() { return told_at_; }

  const EventTriggerBook& triggers() const { return triggers_; }
  EventTriggerBook& triggers() { return triggers_; }  // to change its caches

  KeptSnapshot& snapshot() { return snapshot_; }

  const TurnStatistics& turn_statistics() const { return turn_statistics_; }
  TurnStatistics& turn_statistics() { return turn_statistics_; }

  // Equal specifications are one in memory.
  Shared<JobSpec> shared_spec(Shared<JobSpec> spec) { return specs_.shared(std::move(spec)); }

  // Shapes that were found possible since the nodes last changed, with the number of nodes they
  // take: judging one anew looks at every node. Remembered, not state: nothing follows from it.
  std::optional<std::int64_t> known_possible(const PossibleKey& key) const;
  void note_possible(PossibleKey key, std::int64_t nodes) const;
  // Of this thing on all nodes, whether they are available now or not. Remembered likewise.
  std::int64_t there_is(const TresCount& thing) const;

  // What the specification asks of the scheduler.
  Shared<schedule::Request> request_of_spec(const Shared<JobSpec>& spec) const;
  // Returns `request` with one alternative for each type of GPU, if its GPUs could otherwise be of
  // several types and it names none, or if limits count GPUs by type.
  Shared<schedule::Request> by_gpu_type(Shared<schedule::Request> request) const;
  // Whether a limit or a quota names a type of GPU.
  bool counts_gpu_types() const { return by_gpu_type_; }
  // Likewise of one that runs: in its partition.
  Shared<schedule::Request> request_of_live(const JobEntry& entry) const;

  // Return the scheduler's form of the state, brought up to date. It follows from the state and is
  // no part of it.
  schedule::Engine& engine(Now now) const;
  schedule::Scheduler& scheduler(Now now) const {
    engine(now);
    return *scheduler_;
  }

  // Counts changes of state: what was derived at another count may be out of date.
  std::int64_t changes_applied() const { return changes_applied_; }

  // Walks every cross-reference; a test calls it after each step.
  void verify() const;

 private:
  JobEntry& entry(JobId id);
  void load_limits(Snapshot& snapshot, Now now);
  void load_waits(Snapshot& snapshot);
  void load_steps(std::vector<Step> steps);
  void put_node(Node node);
  void touch(JobEntry& entry);
  void index(JobEntry& entry, Now now);
  void forget_moments();
  void index_moments(JobEntry& entry, Now now);
  void index_dependencies(const Job& job);
  void index_in_vain(const Job& job);
  void count_submitted();
  void tiers_changed();
  void forget_limits();
  void tell_charges(Now now) const;
  void tell_quotas(bool nodes_changed) const;
  void settle_gpu_types();
  void count_gpu_types(const Node& before, const Node& now);
  void change_requests(const std::function<void()>& edit);
  bool counts_fair_share() const;
  void index_partitions(JobEntry& entry);
  void set_open_hours(std::set<std::string> open);
  void load_partitions(std::vector<Partition> rows);
  // Adds the partition that the row makes, or replaces it. The configuration's own win.
  void define_made(const Partition& row);
  void undefine_made(const std::string& name);
  template <class Edit>
  void change_partitions(const std::set<std::string>& names, Edit edit);
  void index_end(JobEntry& entry);
  void index_reopened(JobEntry& entry);
  bool has_come(const Awaited& awaited) const;
  std::vector<JobId> others_limited_by(const Job& before, const Job& after) const;
  // Who comes back in the same step keeps the place that is kept for it.
  enum class Leaves : std::uint8_t { ForGood, ToComeBack };
  void leave_line(JobEntry& entry, Leaves leaves = Leaves::ForGood);
  void keep_place(JobEntry& entry, const Job& job);
  void enter_line(JobEntry& entry);
  void tell_engine(JobId id, Now now) const;
  void tell_reservations(Now now) const;
  template <class Edit>
  void change_reservations(bool draws_in, Edit edit);
  Deadlines fresh_deadlines(const JobEntry& entry, Now now) const;
  void apply_one(const JobAdded& change, Now now);
  void apply_one(const JobChanged& change, Now now);
  void apply_one(const JobRespecified& change, Now now);
  void apply_one(const AttemptAdded& change, Now now);
  void apply_one(const AttemptChanged& change, Now now);
  void apply_one(const CheckpointAdded& change, Now now);
  void apply_one(const CheckpointChanged& change, Now now);
  void index_begun_from(const Job& job);
  void load_kept_checkpoints(std::vector<KeptCheckpoint> kept);
  void keep_checkpoints_of(const JobEntry& e);
  void apply_one(const NodeChanged& change, Now now);
  void apply_one(const PartitionChanged& change, Now now);
  void apply_one(const PartitionRemoved& change, Now now);
  void apply_one(const EventAdded& change, Now now);
  void apply_one(const WaitTold& change, Now now);
  void apply_one(const WaitOver& change, Now now);
  void apply_one(const EstimateMet& change, Now now);
  void apply_one(const AssociationPut& change, Now now);
  void apply_one(const AssociationRemoved& change, Now now);
  void apply_one(const QosPut& change, Now now);
  void apply_one(const QosRemoved& change, Now now);
  void apply_one(const QosUsed& change, Now now);
  void apply_one(const RequestAnswered& change, Now now);
  void apply_one(const JobForgotten& change, Now now);
  void apply_one(const StepPut& change, Now now);
  void apply_one(const NodeNoted&, Now) {}
  void apply_one(const ReservationPut& change, Now now);
  void apply_one(const ReservationRemoved& change, Now now);
  void apply_one(const FailoverTold& change, Now now);
  template <class CrontabChange>
  requires requires(Crontabs& crontabs, const CrontabChange& change) { crontabs.apply(change); }
  void apply_one(const CrontabChange& change, Now) {
    crontabs_.apply(change);
    ++changes_applied_;
  }
  void apply_one(const EventTriggerPut& change, Now) { triggers_.put(change.trigger); }
  void apply_one(const EventTriggerRemoved& change, Now) { triggers_.remove(change.id); }

  ControllerConfig config_;
  Term term_;
  JobId next_job_{1};
  JobId above_told_{1};  // nodes have told of lower ones
  std::string identity_seed_;
  std::vector<Failover> failovers_;  // by term
  Boot loaded_{};
  std::map<JobId, JobEntry> jobs_;
  std::set<JobId> unfinished_;
  std::set<JobId> live_;
  Arrays arrays_;
  Crontabs crontabs_;
  std::int64_t unfinished_count_ = 0;
  std::set<JobId> retrying_;
  Moments begins_;
  std::map<JobId, Boot> put_off_;  // by a requeue after its end, at the latest until then
  Moments latest_starts_;
  Dependants dependants_;
  std::set<JobId> hopeless_unrecorded_;
  KeptCheckpoints kept_checkpoints_;
  // The job with the checkpoint, its step, and the job that begins from it.
  std::set<std::tuple<JobId, std::int64_t, JobId>> begun_from_;
  Boot checkpoints_watched_{};
  Boot reservations_kept_up_{};                 // when the newest round began
  std::optional<std::string> kept_up_to_ = {};  // this one, in a round that is not over
  std::map<std::string, Boot> idle_reservations_;
  std::map<JobId, Deadlines> deadlines_;  // of live ones
  std::map<JobId, PendingReason> pending_reasons_;
  std::map<StepKey, StreamPlace> streams_;  // of steps that have not ended
  std::map<JobId, JobWait> waits_;
  std::deque<StartEstimate> estimates_;  // the newest, the oldest first
  std::set<std::pair<Wall, JobId>> ended_;
  std::map<std::string, std::set<JobId>> live_on_;  // node → jobs with a live attempt there
  std::unordered_map<std::string, JobId> requests_;
  std::map<std::string, Node> nodes_;
  Size size_;
  std::map<std::string, std::int64_t> gpu_types_;  // of all nodes, how many
  bool by_gpu_type_ = false;                       // a limit or a quota names a type of GPU
  std::int32_t mixed_gpu_nodes_ = 0;               // nodes with GPUs of several types
  std::map<std::string, Partition> partitions_;    // those that somebody has made or changed
  std::set<std::string> made_partitions_;          // of config_.partitions
  HostGroups groups_;                              // that have been looked up
  std::set<std::string> open_hours_;               // of the configuration's
  std::set<JobId> kept_out_;
  std::map<std::string, Qos> qos_;
  std::map<std::string, QosUsage> qos_usage_;
  // With the mode of a partition: by QOS and mode. Made when they are asked for.
  mutable std::map<std::pair<std::string, PreemptMode>, Qos> qos_by_mode_;
  Accounts accounts_;
  mutable LimitRegistry limits_in_use_;  // lists are made when they are asked for
  std::map<AssociationId, double> fair_shares_;
  bool fair_shares_stale_ = true;
  Boot fair_shares_due_{};  // not before, however much has changed; and a period later anyway
  Boot fair_shares_settled_{};
  mutable std::size_t charges_told_ = 0;  // of limits of time
  mutable bool charges_stale_ = true;
  mutable bool quotas_stale_ = true;
  mutable std::size_t kept_told_ = 0;                           // limits of room that is kept
  mutable std::map<std::int32_t, std::int64_t> room_there_is_;  // by them
  mutable Boot charges_at_{};
  std::map<std::string, AdvanceReservation> reservations_;
  EventTriggerBook triggers_;
  std::map<std::string, NodeContact> contacts_;
  std::int64_t changes_applied_ = 0;
  std::int64_t told_at_ = -1;
  KeptSnapshot snapshot_;
  TurnStatistics turn_statistics_;
  SpecPool specs_;
  mutable std::map<PossibleKey, std::int64_t> possible_;
  mutable std::map<std::string, std::int64_t> there_is_;
  mutable std::unique_ptr<schedule::Scheduler> scheduler_;
  mutable PerSpecCache<schedule::Request> requests_of_specs_;
  mutable PerSpecCache<schedule::Limits> limits_of_specs_;  // in whichever partition
  mutable bool nodes_stale_ = true;
  mutable Boot silence_turns_long_ = Boot::max();  // the nodes are stale from then on
  // By how much the two clocks differed when the engine was told of reservations; none: it was not.
  mutable std::optional<Milliseconds> reservations_told_at_;
  mutable bool reservations_stale_ = true;
  mutable std::set<JobId> running_stale_;  // what runs or ran, changed since the engine was told
};

}  // namespace cox
