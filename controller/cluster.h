// All state of the controller, in memory: a copy of PostgreSQL (loaded, then changed by apply
// alone) and what is only believed (when a node was heard, which connection is whose), which is
// rebuilt from what workers say. One thread owns it; react_*.cpp read it and change it through
// Reaction.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/config.h"
#include "controller/change.h"
#include "controller/event.h"
#include "controller/store.h"

namespace cox {

// What is believed of a node: not stored, not committed.
struct Liveness {
  PeerName peer;                     // the connection of its newest hello
  std::string session;               // of that hello; empty: not heard since this controller began
  std::vector<std::string> retired;  // earlier sessions: whatever still comes of them is dropped
  std::int64_t number = 0;           // the newest word of the session that a turn has taken in
  std::int64_t beat = 0;             // the newest heartbeat acknowledged, outside the turns
  std::int64_t started_ms = 0;       // of the session, on the node's boot clock
  bool obeys_us = false;  // it has spoken since it obeyed our term: what it does not have, it lacks
  Boot heard{};
  bool shares_checkpoints = true;
  bool ends_foreign = false;  // what is over here still runs there: its room is not free
};

// Deadlines of a live attempt, on the controller's boot clock.
struct Deadlines {
  Boot prepare{};             // CONFIGURING: to be ready by
  std::optional<Boot> limit;  // RUNNING: the time limit
  std::optional<Boot> grace;  // SIGNALING: when SIGTERM follows
};

// What the last scheduling pass said of a waiting job.
struct Verdict {
  WaitReason reason = WaitReason::None;
  std::string detail;
  std::vector<std::string> lines;
  std::optional<Boot> expected_start;
};

struct JobEntry {
  Job job;
  std::vector<Attempt> attempts;        // oldest first
  std::vector<Checkpoint> checkpoints;  // oldest first; pruned ones are left out
  Deadlines deadlines;
  Verdict verdict;
  Boot retry_after{};  // launches failed in a row: not before
  std::int64_t change_count = 0;

  const Attempt* live_attempt() const;
  // The newest that is neither damaged nor pruned.
  const Checkpoint* newest_checkpoint() const;
};

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
  const std::map<JobId, JobEntry>& jobs() const { return jobs_; }
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  const std::map<std::string, Qos>& qos() const { return qos_; }
  const JobEntry* job(JobId id) const;
  const Node* node(const std::string& name) const;
  const Qos& qos_of(const JobSpec& spec) const;
  std::optional<JobId> job_of_request(const std::string& request_id) const;
  const std::set<JobId>& unfinished() const { return unfinished_; }  // not in a final state
  // Ids of jobs with a live attempt on the node.
  std::vector<JobId> jobs_on(const std::string& node) const;

  const Liveness& liveness(const std::string& node) const;
  // Beliefs: no change of state, so no door.
  Liveness& believe(const std::string& node) { return liveness_[node]; }
  Deadlines& deadlines(JobId id);
  Verdict& verdict(JobId id);
  Boot& retry_after(JobId id);

  // Walks every cross-reference; a test calls it after each step.
  void verify() const;

 private:
  JobEntry& entry(JobId id);
  void touch(JobEntry& entry);
  void index(const JobEntry& entry);
  Deadlines fresh_deadlines(const JobEntry& entry, Now now) const;
  void apply_one(const JobAdded& change, Now now);
  void apply_one(const JobChanged& change, Now now);
  void apply_one(const AttemptAdded& change, Now now);
  void apply_one(const AttemptChanged& change, Now now);
  void apply_one(const CheckpointAdded& change, Now now);
  void apply_one(const CheckpointChanged& change, Now now);
  void apply_one(const NodeChanged& change, Now now);
  void apply_one(const EventAdded& change, Now now);
  void apply_one(const JobForgotten& change, Now now);

  ControllerConfig config_;
  Term term_;
  JobId next_job_{1};
  std::map<JobId, JobEntry> jobs_;
  std::set<JobId> unfinished_;
  std::map<std::string, std::set<JobId>> live_on_;  // node → jobs with a live attempt there
  std::unordered_map<std::string, JobId> requests_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Qos> qos_;
  std::map<std::string, Liveness> liveness_;
  std::int64_t changes_applied_ = 0;
};

}  // namespace cox
