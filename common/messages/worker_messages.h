// The messages between controller, worker and supervisor. messages.h lists the sender and receiver
// of each message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/cluster/node.h"
#include "common/job/attempt.h"

namespace cox {

// ---- worker and controller -------------------------------------------------------------------

// Why a node gets no work if its worker does not find the cluster's checkpoint folder.
inline constexpr std::string_view no_checkpoint_folder =
    "it does not see the cluster's checkpoint folder";

// The first message of a worker, with everything that is on the node. It is sent again whenever the
// contact was lost.
struct WorkerHello {
  static constexpr int tag = 1;
  Node node;                // the controller ignores `drained`, `responding` and `reason` in it
  std::string session;      // identifies the run of the worker: random, new at each start
  std::int64_t number = 0;  // number of this message in the session
  Term term_seen;           // highest term of a leader whose orders the worker has carried out
  bool shares_checkpoints = true;  // whether the worker finds the cluster's checkpoint folder
  // From supervisors that live, or whose end the controller has not acknowledged.
  std::vector<AttemptStatus> attempts;
  std::int64_t started_ms = 0;  // when the session began, by the node's boot clock
  // Why the node should get no work. Empty: it may get work. Nothing: unknown, or not reported.
  std::optional<std::string> unfit{};
  JobId newest_job{};  // highest id of a job that was ever prepared on the node; 0: none
  // Time limit of the node's prolog and epilog, by which a launch may take longer.
  std::int64_t programs_ms = 0;
  std::string cluster_name{};  // the worker's own setting; empty: it does not report it

  COX_FIELDS(node, session, number, term_seen, shares_checkpoints, attempts, started_ms, unfit,
             newest_job, programs_ms, cluster_name);
};

// Requests that the leases of the node's attempts are renewed. It lists these attempts in brief, so
// that the controller can compare them with what should run there.
struct Heartbeat {
  static constexpr int tag = 2;
  struct Entry {
    AttemptKey key;
    std::int64_t revision = 0;
    NodePhase phase = NodePhase::Preparing;
    std::int64_t ran_ms = 0;
    std::int64_t suspension = 0;  // number of the newest suspension order that was carried out
    COX_FIELDS(key, revision, phase, ran_ms, suspension);
  };
  std::string node;
  std::string session;
  std::int64_t number = 0;  // as in WorkerHello
  std::vector<Entry> attempts;
  std::optional<std::string> unfit{};  // as in WorkerHello
  // Number of the previous heartbeat if it was acknowledged, which proves that messages pass both
  // ways. 0: it was not acknowledged. Below 0: the worker does not report this.
  std::int64_t confirmed = -1;
  std::optional<NodeLoad> load{};  // none: the worker does not report the load, or cannot read it

  COX_FIELDS(node, session, number, attempts, unfit, confirmed, load);
};

// Reports the state of an attempt. Sent again until a StatusAck names this revision or a later one.
struct StatusReport {
  static constexpr int tag = 3;
  std::string node;
  AttemptStatus status;
  std::string session;      // session of the worker; empty from a supervisor to its worker
  std::int64_t number = 0;  // as in WorkerHello

  COX_FIELDS(node, status, session, number);
};

// Confirms a RemoveCheckpoint: the files do not exist any more.
struct CheckpointRemoved {
  static constexpr int tag = 4;
  static constexpr int since_version = 2;
  std::string node;
  AttemptKey key;
  std::int64_t step = 0;

  COX_FIELDS(node, key, step);
};

// What a node found when it read a checkpoint, in answer to VerifyCheckpoint.
struct CheckpointVerified {
  static constexpr int tag = 142;
  static constexpr int since_version = 2;
  std::string node;
  AttemptKey key;
  std::int64_t step = 0;
  ResumeFault fault = ResumeFault::Unreadable;  // None: all files are as they were saved
  std::string why;                              // with a fault: the file, and what is wrong with it

  COX_FIELDS(node, key, step, fault, why);
};

struct Welcome {
  static constexpr int tag = 10;
  Term term;
  std::string cluster_name;
  std::int64_t heartbeat_ms = 0;
  std::string session;  // session of the WorkerHello that it answers

  COX_FIELDS(term, cluster_name, heartbeat_ms, session);
};

// Renews all leases on the node, counted from when the worker sent the heartbeat with this number.
// The controller sends it without waiting for a commit. hello_wanted: the controller has no hello
// of this worker.
struct HeartbeatAck {
  static constexpr int tag = 11;
  Term term;
  std::string session;
  std::int64_t number = 0;
  bool hello_wanted = false;
  std::int64_t lease_ms = 0;  // how long a lease lasts; 0: forever
  // The controller may not lead any more. The acknowledgement counts only if every other controller
  // has replied that it does not lead.
  bool unsure = false;

  COX_FIELDS(term, session, number, hello_wanted, lease_ms, unsure);
};

// Orders a node to prepare its part of an attempt. `session` and `number` name the newest message
// of the node that the controller had when it wrote this. If the worker has listed its attempts in
// a later message, the controller may have given the attempt up because of that list; see
// starts_without_go().
struct Prepare {
  static constexpr int tag = 12;
  Term term;
  LaunchSpec launch;
  std::string session{};
  std::int64_t number = 0;

  COX_FIELDS(term, launch, session, number);
};

struct Go {
  static constexpr int tag = 13;
  Term term;
  AttemptKey key;
  GoOrder order;

  COX_FIELDS(term, key, order);
};

struct Stop {
  static constexpr int tag = 14;
  Term term;
  AttemptKey key;
  StopOrder order;

  COX_FIELDS(term, key, order);
};

// The controller has committed this revision. If the attempt's phase is Gone, the worker forgets
// the attempt.
struct StatusAck {
  static constexpr int tag = 15;
  AttemptKey key;
  std::int64_t revision = 0;
  // Term of the sender. A former leader does not have later attempts and takes them for ended, so
  // its acknowledgements are ignored. 0: sent by the previous version.
  Term term{};

  COX_FIELDS(key, revision, term);
};

// Orders a node to remove the files of a checkpoint, `job_checkpoint_dir/attempt-K/step-N`. Sent
// again until CheckpointRemoved confirms it. With step -1 the attempt is over: the node removes its
// folder if that is empty, and does not confirm it.
struct RemoveCheckpoint {
  static constexpr int tag = 16;
  Term term;
  AttemptKey key;  // attempt that saved the checkpoint
  std::int64_t step = 0;
  std::string job_checkpoint_dir;

  COX_FIELDS(term, key, step, job_checkpoint_dir);
};

// Orders a node to read a checkpoint, as the job's user, and to compare it with what was sealed.
// Sent once, since a person asked for it. Answered with CheckpointVerified.
struct VerifyCheckpoint {
  static constexpr int tag = 141;
  static constexpr int since_version = 2;
  Term term;
  AttemptKey key;  // attempt that saved the checkpoint
  std::int64_t step = 0;
  std::string folder;      // of the checkpoint: .../attempt-K/step-N
  std::int32_t ranks = 0;  // how many ranks saved it; 0: all that have a manifest there
  std::string identity;    // of the job; its manifests must have it
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  COX_FIELDS(term, key, step, folder, ranks, identity, uid, gid);
};

// Orders a node to suspend or resume an attempt. Sent again until a status or a heartbeat has the
// number of this order or a later one.
struct Suspend {
  static constexpr int tag = 18;
  Term term;
  AttemptKey key;
  Suspension order;

  COX_FIELDS(term, key, order);
};

// Orders a node to start its part of a step. Sent again until a status lists the step.
struct LaunchStep {
  static constexpr int tag = 19;
  Term term;
  AttemptKey key;
  StepLaunch launch;

  COX_FIELDS(term, key, launch);
};

// Orders a node to end a step: SIGCONT and SIGTERM, later SIGKILL. Sent again until a status
// reports that the step is Gone.
struct StopStep {
  static constexpr int tag = 20;
  Term term;
  AttemptKey key;
  std::int32_t number = 0;

  COX_FIELDS(term, key, number);
};

// Sends the signal of a user to the processes of an attempt that exist at that moment. Not sent
// again.
struct SignalAttempt {
  static constexpr int tag = 21;
  Term term;
  AttemptKey key;
  std::int32_t signal = 0;
  std::int32_t step = -1;  // number of the step; -1: all steps
  bool to_steps = true;    // whether steps get the signal
  // Whether the ranks that belong to no step get it. With a batch script, only its shell does.
  bool to_batch = false;
  bool to_children = false;  // also all processes that the shell has started

  COX_FIELDS(term, key, signal, step, to_steps, to_batch, to_children);
};

struct Rejected {  // answer to a peer that may not connect, or whose message is not allowed
  static constexpr int tag = 17;
  Refusal why;
  std::string session{};     // the session of the worker that said hello; empty: another peer
  bool ends_worker = false;  // this worker is never served, since another serves its node: it ends

  COX_FIELDS(why, session, ends_worker);
};

// The answer of a standby: the sender of the message should try other controllers.
struct NotLeader {
  static constexpr int tag = 35;
  std::string leader;       // name of the leader for people; empty: unknown
  std::int64_t number = 0;  // number of the message that it answers (standing_by.h)
  // For people: why this standby could not become the leader although there was none.
  std::string hindrance{};

  COX_FIELDS(leader, number, hindrance);
};

// ---- supervisor ------------------------------------------------------------------------------

struct RenewLease {
  static constexpr int tag = 30;
  Boot until;  // end of the lease, by the node's boot clock

  COX_FIELDS(until);
};

// Sent to the step daemon (cox-stepd) before suspended processes are resumed: how long they were
// suspended. The time limits of steps do not count that time.
struct StepsSuspended {
  static constexpr int tag = 34;
  std::int64_t suspended_ms = 0;

  COX_FIELDS(suspended_ms);
};

struct CheckpointDone {
  static constexpr int tag = 31;
  std::int32_t rank = 0;
  std::int64_t step = 0;
  std::int32_t job_step = -1;  // step of srun to which the rank belongs; -1: the job itself

  COX_FIELDS(rank, step, job_step);
};

// A rank's report of its progress. The supervisor sends no answer, so that a training does not wait
// for one.
struct ProgressReport {
  static constexpr int tag = 122;
  static constexpr int since_version = 2;
  Progress progress;  // without times and first_step, which the supervisor sets

  COX_FIELDS(progress);
};

// A task says that the work of its job is done, so that its exit code 0 means COMPLETED even after
// a request to stop. Answered with a CheckpointAnswer.
struct WorkFinished {
  static constexpr int tag = 140;
  static constexpr int since_version = 2;

  COX_FIELDS();
};

struct CheckpointAnswer {
  static constexpr int tag = 32;
  SavedStep saved;
  std::optional<Refusal> refused;
  bool save_unknown = false;  // with `refused`: as RankStatus::save_unknown
  // With `refused`: the place of the save could not be reached, so the report is to be tried again.
  bool may_retry = false;

  COX_FIELDS(saved, refused, save_unknown, may_retry);
};

}  // namespace cox
