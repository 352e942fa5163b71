// One attempt at running a job. The supervisor on a node reports an AttemptStatus. The controller
// keeps the Attempt (rows of cox.attempt, cox.rank and cox.checkpoint). The worker passes
// LaunchSpec, Go and StopOrder from the controller to the supervisor, and AttemptStatus from the
// supervisor to the controller.
//
// An AttemptStatus is level-triggered: it always contains everything, its revision only grows,
// and each part of it only moves forward. So it may be lost, repeated and reordered without harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/progress.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "common/job/resources.h"
#include "common/job/site_programs.h"
#include "common/job/step.h"

namespace cox {

// The phase of an attempt on one node.
enum class NodePhase : std::uint8_t {
  Preparing,  // requested by the controller, or the node is preparing
  Ready,      // the node is prepared; no user code runs yet
  Running,    // user code runs: after Go, or without a Go (starts_without_go)
  Stopping,   // a StopOrder has arrived, and the ranks are being ended
  Gone,       // no process of the attempt is left on the node
};
std::string_view name(NodePhase p);

enum class RankPhase : std::uint8_t { Waiting, Running, Exited };
std::string_view name(RankPhase p);

// Why an attempt was ordered to stop. A stronger order replaces a weaker one: see stronger().
enum class StopWhy : std::uint8_t {
  None,
  JobEnded,  // the ranks on the other nodes have ended, so this node cleans up
  Preempt,
  Drain,
  Migrate,
  Requeue,     // a user requeues the job
  LeaseEnded,  // the supervisor's own decision: its lease has ended
  TimeLimit,
  NodeLost,      // another node of the gang was lost, or the supervisor there
  LaunchUndone,  // another node refused the launch or was late
  RankFailed,    // one rank failed, which ends the gang
  OutOfMemory,   // the kernel killed a rank for lack of memory
  Cancel,
  Deadline,  // the job's --deadline has come
};
// "preempt", "timelimit": the text in the reason file, which the job reads.
std::string_view name(StopWhy w);

struct StopOrder {
  StopWhy why = StopWhy::None;
  // Asks the ranks to save (reason file and signal), then waits grace_ms.
  bool ask_checkpoint = false;
  std::int64_t grace_ms = 0;      // from the order's arrival until SIGCONT and SIGTERM; 0: none
  std::int64_t kill_wait_ms = 0;  // from SIGTERM until SIGKILL
  std::string detail;             // explanation for the job's output

  COX_FIELDS(why, ask_checkpoint, grace_ms, kill_wait_ms, detail);
  bool operator==(const StopOrder&) const = default;
};

// Returns whether `next` must replace `current`: if there is no current order, or if `next` ends
// the ranks without the time to save that `current` gives. So a cancel replaces a preemption during
// its grace.
constexpr bool stronger(const StopOrder& next, const StopOrder& current) {
  if (current.why == StopWhy::None) return next.why != StopWhy::None;
  return current.ask_checkpoint && !next.ask_checkpoint;
}

// Returns whether a stop for this reason begins with the signal of --signal; false: with that of
// --checkpoint-signal, if the job chose one.
bool asks_by_signal(const JobSpec& spec, StopWhy why);

// Returns whether the signal with which a stop for this reason begins is only a warning before the
// time limit, as in Slurm. It is more if the job is to be requeued at the limit.
bool is_only_warned(const JobSpec& spec, StopWhy why);

struct RankStatus {
  std::int32_t rank = 0;
  RankPhase phase = RankPhase::Waiting;
  std::int32_t exit_code = 0;    // when Exited
  std::int32_t exit_signal = 0;  // signal that ended the rank; 0: it exited by itself
  // Training steps that the rank has saved, newest last; at most limits::saved_steps_max.
  std::vector<SavedStep> saved;
  Wall started{};
  Wall ended{};
  // The size in bytes of the rank's output file when this attempt was prepared, because the
  // attempts of a job append to the same file. Nothing: not known yet. error_from is the same for
  // the error file.
  std::optional<std::int64_t> output_from{};
  std::optional<std::int64_t> error_from{};
  // When Exited: whether its node had been ordered to stop the attempt before the rank exited.
  // Nothing: not known, which never counts as "no".
  std::optional<bool> asked_to_stop{};
  // Its node could not read or write the files that the rank reported last, or those that it left
  // when it exited with exit_code_saved. So whether it has saved is not known.
  bool save_unknown = false;

  COX_FIELDS(rank, phase, exit_code, exit_signal, saved, started, ended, output_from, error_from,
             asked_to_stop, save_unknown);
  bool operator==(const RankStatus&) const = default;
};

// An order to suspend or resume an attempt. The order with the highest number counts, so orders may
// be lost, repeated and reordered; number 0: no order was given yet. An order to stop has
// precedence: suspended processes are resumed so that they can end.
struct Suspension {
  std::int64_t number = 0;
  bool suspended = false;

  COX_FIELDS(number, suspended);
  bool operator==(const Suspension&) const = default;
};

// EX_TEMPFAIL: the rank has saved and is to run again.
inline constexpr std::int32_t exit_code_saved = 75;

// Processes of an attempt that are left on a node long after SIGKILL.
enum class KillFailure : std::uint8_t {
  None,
  Held,  // blocked in the kernel; they run no user code any more
  Runs,  // may still run user code: too many, or the kernel forbids to kill them
};

// Why a node could not verify the checkpoint from which an attempt resumes.
enum class ResumeFault : std::uint8_t {
  None,        // it could, or the node does not report this
  Unreadable,  // a file is missing there or cannot be read, which proves nothing about the file
  Differs,     // the files were read, and are not those that were sealed
};

// The report of one node about an attempt.
struct AttemptStatus {
  AttemptKey key;
  std::int64_t revision = 0;  // increases with each change of the report
  NodePhase phase = NodePhase::Preparing;
  // Why the node cannot prepare the attempt (phase is then Gone); empty: it can.
  std::string refused;
  // The node caused the refusal, so the next attempt avoids it; or it lost the supervisor by
  // itself: neither the cluster's owner ended it nor has the node booted since.
  bool node_at_fault = true;
  // Set with ResumeFault::Differs, for controllers of the previous version. Workers of the previous
  // version set it, without a resume_fault, for files that they could not read, too.
  bool resume_damaged = false;
  bool supervisor_lost = false;  // it has died, or a rank failed that could not reach it
  bool out_of_memory = false;  // the kernel killed a process for lack of memory (oom_kill counters)
  std::int32_t master_port = 0;  // port for MASTER_PORT, found on the first node of the gang
  StopWhy stop = StopWhy::None;  // why of the StopOrder that is in progress
  // Running time by the node's boot clock, without suspensions. It grows without a new revision.
  std::int64_t ran_ms = 0;
  std::vector<RankStatus> ranks;
  std::string note;         // problem to show to people: an output path that failed, a full disk
  Suspension suspension{};  // the newest order that the node has carried out
  // Steps of srun, until the controller has acknowledged their end.
  std::vector<StepStatus> steps{};
  StepUsage usage{};  // use by ranks that have exited; steps of srun are not included
  KillFailure kill_failure = KillFailure::None;
  Progress progress{};  // the newest report of any rank on this node
  // Why the node's prolog or epilog failed, "Prolog error: ..."; empty: it did not. The controller
  // drains the node for it.
  std::string site_error{};
  bool finished = false;  // a task said that the job's work is done, and none has saved since
  ResumeFault resume_fault = ResumeFault::None;  // cause of the refusal

  COX_FIELDS(key, revision, phase, refused, node_at_fault, resume_damaged, supervisor_lost,
             out_of_memory, master_port, stop, ran_ms, ranks, note, suspension, steps, usage,
             kill_failure, progress, site_error, finished, resume_fault);
  bool operator==(const AttemptStatus&) const = default;
};

// A committed checkpoint: a saved state of the whole gang, identified by (job, attempt, step).
struct Checkpoint {
  AttemptKey key;  // the attempt whose ranks saved it
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  Wall committed{};
  // A node read its files, and they differ from what was sealed. It is not used until a node has
  // looked at it again, see JobEntry::checkpoint_to_resume().
  bool damaged = false;
  bool pruned = false;  // not kept any more: its files are removed, or will be
  Wall removed{};       // when a worker confirmed the removal of its files; Wall{}: not yet
  // A rank did not report the save, but exited with 75, so the save may be incomplete. False again
  // once an attempt that resumed from it has committed a newer checkpoint.
  bool by_exit = false;
  AttemptNumber damaged_in{};  // the attempt that found it damaged; 0: it is to be looked at again
  // The job goes on without it, from an older one or anew, as its owner asked (`cox requeue
  // --from`, `cox release --begin-anew`), or since two attempts in a row failed from it. Its files
  // are kept.
  bool set_aside = false;
  // Number of the step of srun that saved it; -1: the job's ranks or its script.
  std::int32_t job_step = -1;
  std::string command_hash{};  // StepSpec::command_hash of that step

  COX_FIELDS(key, step, bytes, files, committed, damaged, pruned, removed, by_exit, damaged_in,
             set_aside, job_step, command_hash);
  bool operator==(const Checkpoint&) const = default;
};

struct ResumeFrom {
  AttemptNumber attempt;
  std::int64_t step = 0;
  JobId job{};  // the job of that attempt; 0: the job that resumes

  COX_FIELDS(attempt, step, job);
  bool operator==(const ResumeFrom&) const = default;
};

// One node of an attempt, in the controller's memory and the database.
struct AttemptNode {
  NodeGrant grant;
  NodePhase phase = NodePhase::Preparing;
  std::int64_t revision = 0;  // revision of the newest AttemptStatus that was recorded
  std::string note;
  // Number of the newest suspension order that the node has carried out.
  std::int64_t suspension = 0;
  StepUsage usage{};  // use by ranks that have exited there, without steps of srun
  Wall given_back{};  // when the node became free for other jobs; Wall{}: at the attempt's end

  COX_FIELDS(grant, phase, revision, note, suspension, usage, given_back);
  bool operator==(const AttemptNode&) const = default;
};

struct Attempt {
  AttemptKey key;
  std::vector<AttemptNode> nodes;  // in node-list order
  std::vector<RankStatus> ranks;   // only ranks that run user code, in rank order
  std::int32_t master_port = 0;
  std::optional<ResumeFrom> resume;
  StopOrder stop;  // StopWhy::None: it is not ordered to stop
  Wall began{};    // Start
  // When it began to run (GangReady), or from when it may have run without a report; Wall{}: never.
  Wall went{};
  Wall stop_asked{};
  Wall ended{};                   // Wall{}: still live
  std::string outcome;            // how it ended, as text; empty: it has not
  std::int64_t time_limit_s = 0;  // own limit, shorter than the job's; 0: that of the job applies
  // Runs in the gap before a reservation of other users, and saves when the gap ends.
  bool fills = false;
  Suspension suspension;           // the newest order to suspend or resume
  std::vector<Wall> suspended_at;  // times of the newest suspensions, oldest first
  std::int64_t suspended_ms = 0;   // total time suspended, without a suspension that has not ended
  Wall resumed{};                  // when it was last resumed; Wall{}: never
  // Partition in which it runs; empty: an older version of the controller started it.
  std::string partition;
  Progress progress;      // the newest report from any of its nodes
  bool finished = false;  // as in AttemptStatus, from the node of rank 0
  // Its owner has requeued the job from an older checkpoint, or released it to begin anew. So what
  // it still saves, or a node reports late, is set aside.
  bool saves_set_aside = false;
  // Checkpoint::job_step and command_hash of the job's own checkpoint from which it resumes.
  std::int32_t resume_job_step = -1;
  std::string resume_command_hash{};

  COX_FIELDS(key, nodes, ranks, master_port, resume, stop, began, went, stop_asked, ended, outcome,
             time_limit_s, fills, suspension, suspended_at, suspended_ms, resumed, partition,
             progress, finished, saves_set_aside, resume_job_step, resume_command_hash);
  bool operator==(const Attempt&) const = default;
};

// A node of a placed gang, with its address.
struct PlacedNode {
  NodeGrant grant;
  std::string address;  // numeric address for connections to the ranks of the node

  COX_FIELDS(grant, address);
  bool operator==(const PlacedNode&) const = default;
};

// Everything that a supervisor needs to prepare one node's part of an attempt and to run it.
struct LaunchSpec {
  AttemptKey key;
  JobSpec spec;
  std::string script;       // text of the script; empty in gang form
  std::string environment;  // block of NAME=value\0 entries, as submitted
  std::vector<PlacedNode> nodes;
  std::int32_t node_index = 0;  // index of this node in `nodes`
  std::string cluster_name;
  // <checkpoint_root>/<job>-<identity>. Attempt K saves in its folder attempt-K.
  std::string job_checkpoint_dir;
  std::optional<ResumeFrom> resume;
  std::int32_t restarts = 0;
  Wall submitted{};
  std::int64_t lease_ms = 0;  // how long ranks run without contact to the controller; 0: forever
  std::int64_t lease_grace_ms = 0;  // time to save when the lease has ended, before SIGTERM
  std::int64_t kill_wait_ms = 0;
  // Whether the attempt starts without a Go, see starts_without_go(). The worker sets this and
  // lease_from.
  bool go_when_ready = false;
  Boot lease_from{};  // when the lease begins; Boot{}: when the supervisor starts
  // Number of ranks that saved the checkpoint to resume from, if it differs from the present one
  // (elastic gangs); 0: the present number.
  std::int32_t resume_ranks = 0;
  JobId array_job{};  // id of the array, if the job is a task of one; 0: no array
  std::int64_t array_task = -1;
  // Time after SIGKILL, when processes that are left are reported; 0: never reported.
  std::int64_t unkillable_ms = 0;
  std::int64_t log_bytes_max = 0;  // largest size of one output file; 0: no limit
  // All GPUs of this node, also those that the attempt does not get.
  std::vector<GpuDevice> node_gpus{};
  std::string topology_addr{};  // SLURM_TOPOLOGY_ADDR: "spine1.leaf2.n3"; empty: no topology
  // Identity of the job, for the manifests of checkpoints; empty: it has none.
  std::string job_identity{};
  // Checkpoint folder of the job that saved `resume`; empty: of this job.
  std::string resume_job_dir{};
  // Identity of the job that saved `resume`; its manifests must have it.
  std::string resume_identity{};
  SitePrograms site{};  // set by the worker from its settings; the controller's value is ignored
  // A node that is silent for so long loses an attempt that waits for its Go, which then begins
  // elsewhere; 0: not known.
  std::int64_t node_timeout_ms = 0;

  COX_FIELDS(key, spec, script, environment, nodes, node_index, cluster_name, job_checkpoint_dir,
             resume, restarts, submitted, lease_ms, lease_grace_ms, kill_wait_ms, go_when_ready,
             lease_from, resume_ranks, array_job, array_task, unkillable_ms, log_bytes_max,
             node_gpus, topology_addr, job_identity, resume_job_dir, resume_identity, site,
             node_timeout_ms);
  bool operator==(const LaunchSpec&) const = default;
};

// How many ports an attempt reserves on its first node: master_port for its ranks, and the ports
// after it for the tasks of its steps.
inline constexpr std::int32_t ports_per_attempt = 8;

struct GoOrder {
  std::string master_address;
  std::int32_t master_port = 0;  // 0: none
  Wall started{};                // SLURM_JOB_START_TIME, which is equal on all nodes

  COX_FIELDS(master_address, master_port, started);
  bool operator==(const GoOrder&) const = default;
};

// Returns whether a gang on this many nodes starts without a Go once it is prepared: a single
// node waits for no other node.
//
// Once the controller has sent the Prepare of such a gang, it must assume that user code runs. The
// worker starts it only if the Prepare names the worker's newest list of attempts
// (Prepare::number), since the controller may have given the attempt up because of a later list.
// The lease counts from that list. In all other cases the attempt waits for a Go, and the
// controller sends none for an attempt that it has given up.
constexpr bool starts_without_go(std::size_t nodes) {
  return nodes == 1;
}

// Returns whether user code of the attempt has run or may have run without a report.
inline bool may_have_run(const Attempt& a) {
  return a.went != Wall{} || starts_without_go(a.nodes.size());
}

// Returns whether the resources of the live attempt on this node are still in use. If the attempt
// was ordered to stop, they become free as soon as no process of it is left on the node; otherwise
// at its end.
inline bool holds_room(const Attempt& a, const AttemptNode& node) {
  return a.stop.why == StopWhy::None || node.phase != NodePhase::Gone;
}

// Returns whether every node has carried out the newest order to suspend or resume.
bool has_carried_out_suspension(const Attempt& a);

// Returns whether every node has confirmed that the attempt is suspended, so that other jobs may
// use its CPUs. It stays true while a suspended attempt is being ended: that attempt does not get
// its CPUs back.
bool is_suspended(const Attempt& a);

// Returns how long the attempt has run until `now` or until its end, without suspensions.
Milliseconds run_time(const Attempt& a, Wall now);

// Returns how many ranks the supervisor of this node starts. Gang form: all ranks of the node.
// Batch form: one on the first node (the script), none on the others.
std::int32_t ranks_run_on(const JobSpec& spec, const NodeGrant& grant, std::int32_t node_index);

// Returns how many ranks the supervisors of all these nodes start. Node: has the member `grant`.
template <class Node>
std::int32_t all_ranks(const JobSpec& spec, const std::vector<Node>& nodes) {
  std::int32_t all = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    all += ranks_run_on(spec, nodes[i].grant, static_cast<std::int32_t>(i));
  return all;
}

}  // namespace cox
