// State that is not stored: the last contact with each node, the addresses of steps' clients,
// pending reasons, event triggers that have run. After a restart it begins empty and is rebuilt
// from messages of workers and clients. Cluster owns it; rooms that react to events change it
// through Reaction::soft_state(). No stored state is derived only from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/cluster/event_trigger.h"
#include "common/job/job.h"
#include "common/job/step.h"
#include "controller/change/node_contact.h"
#include "controller/change/turn_statistics.h"
#include "controller/state/database_refusal.h"
#include "controller/state/time_of_day.h"
#include "schedule/queue/longest_waits.h"

namespace cox {

// Why a job waits, by the last pass that explained it.
struct PendingReason {
  WaitReason reason = WaitReason::None;
  std::string detail;
  std::vector<std::string> lines;
  std::optional<Boot> expected_start;
  bool complete = false;  // explained in full, as when a user asks for this job; false: in short
  bool at_the_earliest = false;  // expected_start is only a lower bound
};

// The snapshot of the scheduler's input that `cox snapshot` fetches in parts.
struct KeptSnapshot {
  std::int64_t number = 0;
  std::string text;
};

// What memory has, beside the rows, about a job with a live attempt.
struct JobContact {
  // How far the launch of the attempt has come (controller/attempt/launch.h).
  enum class Launch : std::uint8_t { Unknown, AwaitsProlog, Sent };
  Launch launch = Launch::Unknown;
  Boot prolog_asked{};         // when a run of its prolog_program was last requested
  Boot last_client_contact{};  // of an allocation: when its client last sent a request about it
  // Training steps that every rank reported without a file, so that this is recorded once.
  std::set<std::pair<AttemptNumber, std::int64_t>> without_file;
  AttemptNumber saved_twice{};  // attempt of which it is recorded that two steps saved the same
};

// The conditions of a node. A change of one of them is an event for triggers (strigger).
struct NodeCondition {
  bool is_down = false;
  bool is_drained = false;  // gets no new jobs; some may still run there
  bool is_busy = false;     // resources of the node are allocated to a job
  Boot idle_since{};        // Boot{}: not idle
};

// For event triggers (controller/ledger/event_triggers.h): events that have happened already, so
// that they cause no second run.
struct TriggerWatch {
  // The condition of each node at the end of the last turn; empty if there is no trigger.
  std::map<std::string, NodeCondition> conditions;
  // A node that is idle long enough is an event once in each idle time. These pairs of trigger and
  // node have had it in the present idle time.
  std::set<std::pair<EventTriggerId, std::string>> reported_idle;
  // Triggers whose job had ended at the last tick.
  std::set<EventTriggerId> jobs_over;
  std::int64_t reported_term = 0;  // the last term whose begin caused an event
};

class SoftState {
 public:
  const NodeContact& contact(const std::string& node) const;
  // Returns the entry of the node, to be changed. A caller that changes session, shares_checkpoints
  // or ends_foreign, on which a node's availability depends, must call
  // Reaction::availability_changed() too.
  NodeContact& edit(const std::string& node) { return contacts_[node]; }

  const JobContact& job(JobId id) const;
  JobContact& edit(JobId id) { return jobs_[id]; }
  void forget(JobId id);  // to be called when the job has ended
  void forget(EventTriggerId id);
  // Called after a load. Forgets everything about jobs except the clients of their steps, and for
  // which idle nodes and ended jobs event triggers have run.
  void forget_after_load();

  // Returns where the step's client (srun) accepts its streams; null: not known until the client
  // repeats its request.
  const StreamPlace* streams_of(const StepKey& key) const;
  void set_streams(const StepKey& key, StreamPlace place) { streams_[key] = std::move(place); }
  void forget_streams(const StepKey& key) { streams_.erase(key); }

  // Returns the job's pending reason as it was last computed; empty if it was not computed yet.
  const PendingReason& pending_reason_of(JobId id) const;
  const std::map<JobId, PendingReason>& pending_reasons() const { return pending_reasons_; }
  void keep_pending_reason(JobId id, PendingReason pending) {
    pending_reasons_[id] = std::move(pending);
  }
  void forget_pending_reason(JobId id) { pending_reasons_.erase(id); }
  void forget_pending_reasons() { pending_reasons_.clear(); }
  // Value of Cluster::changes_applied() when pending reasons were last computed; -1: they are out
  // of date in any case.
  std::int64_t reasons_made_at = -1;

  // Whether requests of clients are carried out: not while the database is away. And since when.
  bool hears_clients = true;
  Boot hears_clients_since{};
  DatabaseRefusal database_refusal;
  TimeOfDay time_of_day;
  // Why workers are not served that have run jobs of which the database knows nothing: "has never
  // recorded ..."; empty: there are none. It stays, for another database is needed.
  std::string missing_history;

  // Jobs that waited last for something else than room before they started: a limit, a licence. Not
  // known of jobs that started before this controller led.
  std::set<JobId> waited_for_limit;

  // The longest waits as the scheduling engine knows them, for answers to users.
  schedule::LongestWaits longest_waits;

  // Reservations that end after they have been idle for a while (PURGE_COMP), each with the time
  // since which it has had no jobs.
  std::map<std::string, Boot> idle_reservations;
  Boot checkpoints_watched{};  // when watch_checkpoints() last began a round
  KeptSnapshot snapshot;
  TurnStatistics turn_statistics;
  TriggerWatch trigger_watch;

 private:
  std::map<std::string, NodeContact> contacts_;
  std::map<JobId, JobContact> jobs_;
  // Where srun accepts the streams of each step that has not ended.
  std::map<StepKey, StreamPlace> streams_;
  std::map<JobId, PendingReason> pending_reasons_;
};

}  // namespace cox
