// One attempt at running a job, as three parties know it: the supervisor on a node reports an
// AttemptStatus; the controller keeps the Attempt (rows cox.attempt, cox.rank and cox.checkpoint);
// the worker carries LaunchSpec, Go and StopOrder one way and AttemptStatus the other.
//
// AttemptStatus is level, not edge: it always tells everything, its revision only grows, and each
// part of it only moves forward. So it may be lost, repeated and reordered without harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/progress.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "common/job/resources.h"
#include "common/job/site_programs.h"
#include "common/job/step.h"

namespace cox {

// Where a whole attempt stands on one node.
enum class NodePhase : std::uint8_t {
  Preparing,  // the controller has asked, or the supervisor is at it
  Ready,      // prepared; no user code runs
  Running,    // told to go, or gone by itself
  Stopping,   // told to stop; its ranks are being ended
  Gone,       // nothing of the attempt is left on the node
};
std::string_view name(NodePhase p);

enum class RankPhase : std::uint8_t { Waiting, Running, Exited };
std::string_view name(RankPhase p);

// Why an attempt was asked to stop. The strongest order wins: see stronger().
enum class StopWhy : std::uint8_t {
  None,
  JobEnded,  // the ranks elsewhere are done: clean up
  Preempt,
  Drain,
  Migrate,
  Requeue,     // a person asked
  LeaseEnded,  // the supervisor's own decision
  TimeLimit,
  NodeLost,      // another node of the gang, or its supervisor, is lost
  LaunchUndone,  // another node refused or was late
  RankFailed,    // one failing rank ends the gang
  OutOfMemory,   // likewise, ended by the kernel for want of memory
  Cancel,
  Deadline,  // the job's own, a time of day
};
std::string_view name(StopWhy w);  // "preempt", "timelimit": what the job reads in its reason file

struct StopOrder {
  StopWhy why = StopWhy::None;
  bool ask_checkpoint = false;    // reason file and signal first, SIGTERM when the grace is over
  std::int64_t grace_ms = 0;      // from receipt until SIGCONT and SIGTERM; 0: at once
  std::int64_t kill_wait_ms = 0;  // from SIGTERM until SIGKILL
  std::string detail;             // for the job's log

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.why, self.ask_checkpoint, self.grace_ms, self.kill_wait_ms, self.detail);
  }
  bool operator==(const StopOrder&) const = default;
};

// Whether `next` must replace `current`: it ends the ranks sooner. A cancel during a preemption's
// grace does; a repeated or weaker order does not.
constexpr bool stronger(const StopOrder& next, const StopOrder& current) {
  if (current.why == StopWhy::None) return next.why != StopWhy::None;
  return current.ask_checkpoint && !next.ask_checkpoint;
}

struct RankStatus {
  std::int32_t rank = 0;
  RankPhase phase = RankPhase::Waiting;
  std::int32_t exit_code = 0;    // when Exited
  std::int32_t exit_signal = 0;  // 0: it exited by itself
  std::vector<SavedStep> saved;  // newest last; at most limits::saved_steps_max
  Wall started{};
  Wall ended{};
  // Bytes its files held when this attempt was prepared: the attempts of a job write on at the end
  // of the same files. Not known before that.
  std::optional<std::int64_t> output_from{};
  std::optional<std::int64_t> error_from{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.phase, self.exit_code, self.exit_signal, self.saved, self.started,
          self.ended, self.output_from, self.error_from);
  }
  bool operator==(const RankStatus&) const = default;
};

// Whether an attempt is to stand still, its processes stopped where they are. Of several the one
// with the highest number holds, so that they may be lost, repeated and reordered; 0: none was ever
// given. An order to stop overrules it: what is to end runs again for that.
struct Suspension {
  std::int64_t number = 0;
  bool suspended = false;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.suspended);
  }
  bool operator==(const Suspension&) const = default;
};

inline constexpr std::int32_t exit_code_saved = 75;  // EX_TEMPFAIL: "saved, run me again"

// What is left of an attempt on a node long after SIGKILL.
enum class KillFailure : std::uint8_t {
  None,
  Held,  // it is in the kernel's hands and runs no code of the user's any more
  Runs,  // it may: a process that may not be killed, or more of them than can be
};

// What one node says of an attempt.
struct AttemptStatus {
  AttemptKey key;
  std::int64_t revision = 0;  // grows with every change
  NodePhase phase = NodePhase::Preparing;
  std::string refused;          // not empty: why it cannot be prepared (phase is then Gone)
  bool node_at_fault = true;    // of a refusal: avoid this node next time
  bool resume_damaged = false;  // of a refusal: the checkpoint to resume from does not verify
  bool supervisor_lost = false;
  bool out_of_memory = false;    // on the word of an oom_kill counter
  std::int32_t master_port = 0;  // first node, once Ready
  StopWhy stop = StopWhy::None;  // the order it obeys
  std::int64_t ran_ms = 0;  // since the go, on the node's boot clock, but for the time it stood
                            // still; no change of revision
  std::vector<RankStatus> ranks;
  std::string note;                 // for people: a failed output path, a full disk while it is
  Suspension suspension{};          // the newest that is carried out
  std::vector<StepStatus> steps{};  // but for those whose end is acknowledged
  StepUsage usage{};                // of the ranks that have exited, those of steps apart
  KillFailure kill_failure = KillFailure::None;
  Progress progress{};  // what a rank here has said of it
  // The failure of the node's prolog or epilog, "Prolog error: ...": the node is drained for it.
  std::string site_error{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.revision, self.phase, self.refused, self.node_at_fault,
          self.resume_damaged, self.supervisor_lost, self.out_of_memory, self.master_port,
          self.stop, self.ran_ms, self.ranks, self.note, self.suspension, self.steps, self.usage,
          self.kill_failure, self.progress, self.site_error);
  }
  bool operator==(const AttemptStatus&) const = default;
};

// A saved state of the whole gang, committed: identified by (job, attempt, step).
struct Checkpoint {
  AttemptKey key;  // the attempt that saved it
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  Wall committed{};
  bool damaged = false;  // found not to verify: skipped from then on
  bool pruned = false;   // its files are removed, or about to be
  Wall removed{};        // when a worker confirmed that its files are gone; Wall{}: it has not

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.step, self.bytes, self.files, self.committed, self.damaged, self.pruned,
          self.removed);
  }
  bool operator==(const Checkpoint&) const = default;
};

struct ResumeFrom {
  AttemptNumber attempt;
  std::int64_t step = 0;
  JobId job{};  // whose attempt it is; 0: of the same job

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.attempt, self.step, self.job);
  }
  bool operator==(const ResumeFrom&) const = default;
};

// The controller's knowledge of one attempt.
struct AttemptNode {
  NodeGrant grant;
  NodePhase phase = NodePhase::Preparing;
  std::int64_t revision = 0;  // the newest status taken in
  std::string note;
  std::int64_t suspension = 0;  // number of the newest that is carried out there
  StepUsage usage{};            // of the ranks that have exited there, those of steps apart
  Wall given_back{};  // when its room was free for other jobs; Wall{}: with the attempt's end

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.grant, self.phase, self.revision, self.note, self.suspension, self.usage,
          self.given_back);
  }
  bool operator==(const AttemptNode&) const = default;
};

struct Attempt {
  AttemptKey key;
  std::vector<AttemptNode> nodes;  // in node-list order
  std::vector<RankStatus> ranks;   // in rank order; the ranks that run user code
  std::int32_t master_port = 0;
  std::optional<ResumeFrom> resume;
  StopOrder stop;  // why == None: not asked
  Wall began{};    // Start
  Wall went{};     // GangReady, or when it may have begun to run unheard; Wall{}: never
  Wall stop_asked{};
  Wall ended{};                    // Wall{}: still live
  std::string outcome;             // for people, once ended
  std::int64_t time_limit_s = 0;   // shorter than the job's; 0: the job's own
  bool fills = false;              // a hole before a reservation of others: it saves at its end
  Suspension suspension;           // as it should be
  std::vector<Wall> suspended_at;  // the newest times that it was asked to, oldest first
  std::int64_t suspended_ms = 0;   // what it has stood still until it went on last
  Wall resumed{};                  // when it went on last; Wall{}: never
  std::string partition;           // where it runs, of those the job names; empty: from before that
  Progress progress;               // the newest that one of its nodes told

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.nodes, self.ranks, self.master_port, self.resume, self.stop, self.began,
          self.went, self.stop_asked, self.ended, self.outcome, self.time_limit_s, self.fills,
          self.suspension, self.suspended_at, self.suspended_ms, self.resumed, self.partition,
          self.progress);
  }
  bool operator==(const Attempt&) const = default;
};

// Everything a supervisor needs to prepare one node's part, and later to run it.
struct PlacedNode {
  NodeGrant grant;
  std::string address;  // numeric; where its ranks can be reached

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.grant, self.address);
  }
  bool operator==(const PlacedNode&) const = default;
};

struct LaunchSpec {
  AttemptKey key;
  JobSpec spec;
  std::string script;       // batch form: its text
  std::string environment;  // NAME=value\0 blocks, as submitted
  std::vector<PlacedNode> nodes;
  std::int32_t node_index = 0;  // which of them this is
  std::string cluster_name;
  // <root>/<job>-<identity>; the attempt's own folder is attempt-K below it.
  std::string job_checkpoint_dir;
  std::optional<ResumeFrom> resume;
  std::int32_t restarts = 0;
  Wall submitted{};
  std::int64_t lease_ms = 0;        // 0: never
  std::int64_t lease_grace_ms = 0;  // at the lease's end: time to save before SIGTERM
  std::int64_t kill_wait_ms = 0;
  // Of the worker, see goes_by_itself().
  bool go_when_ready = false;
  Boot lease_from{};  // Boot{}: the lease begins with the supervisor
  // So many saved what it resumes from: of an elastic gang, maybe others than now. 0: as many as
  // now.
  std::int32_t resume_ranks = 0;
  JobId array_job{};  // it is a task of this array; 0: of none
  std::int64_t array_task = -1;
  std::int64_t unkillable_ms = 0;  // what outlives SIGKILL by so long is told; 0: never
  std::int64_t log_bytes_max = 0;  // that a file of a rank's output may take; 0: as many as it will
  std::vector<GpuDevice> node_gpus{};  // every GPU of this node, granted or not
  std::string topology_addr{};         // SLURM_TOPOLOGY_ADDR, "spine1.leaf2.n3"; empty: no topology
  std::string job_identity{};          // manifests name it; empty: the job has none
  std::string resume_job_dir{};        // of the job that saved `resume`; empty: of this job
  std::string resume_identity{};       // of that job, as its manifests must name it
  SitePrograms site{};                 // set by the worker; the controller's value is not used

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.spec, self.script, self.environment, self.nodes, self.node_index,
          self.cluster_name, self.job_checkpoint_dir, self.resume, self.restarts, self.submitted,
          self.lease_ms, self.lease_grace_ms, self.kill_wait_ms, self.go_when_ready,
          self.lease_from, self.resume_ranks, self.array_job, self.array_task, self.unkillable_ms,
          self.log_bytes_max, self.node_gpus, self.topology_addr, self.job_identity,
          self.resume_job_dir, self.resume_identity, self.site);
  }
  bool operator==(const LaunchSpec&) const = default;
};

struct GoOrder {
  std::string master_address;
  std::int32_t master_port = 0;
  Wall started{};  // the same on all nodes: SLURM_JOB_START_TIME

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.master_address, self.master_port, self.started);
  }
  bool operator==(const GoOrder&) const = default;
};

// Whether a gang on so many nodes may go as soon as it is prepared: a node alone waits for no
// other. From its Prepare on the controller must take it for running, whatever has been heard of
// it. The worker, for its part, lets it go only while the controller cannot have given it up: it
// has not listed its attempts without this one since what the controller had heard, and the lease
// counts from then. A Prepare that comes later is prepared as any other and waits for a Go, which
// an attempt that was given up never gets.
constexpr bool goes_by_itself(std::size_t nodes) {
  return nodes == 1;
}

// For all that is known.
inline bool may_have_run(const Attempt& a) {
  return a.went != Wall{} || goes_by_itself(a.nodes.size());
}

// Returns whether the live attempt still holds its room on this node. While an attempt is being
// stopped, its room on a node is free as soon as no process of it is left on that node.
inline bool holds_room(const Attempt& a, const AttemptNode& node) {
  return a.stop.why == StopWhy::None || node.phase != NodePhase::Gone;
}

// All its nodes have done as they were told last of standing still and going on.
bool has_carried_out_suspension(const Attempt& a);

// Nothing of it runs, as every node has said: its CPUs are free for others. Also while it is being
// ended: it does not get them back for that.
bool stands_still(const Attempt& a);

// How long it has run by this time, or did run, but for the time it stood still.
Milliseconds run_time(const Attempt& a, Wall now);

// How many ranks run user code under this node's supervisor: all of the node's in gang form; in
// batch form one on the first node (the script) and none elsewhere.
std::int32_t ranks_run_on(const JobSpec& spec, const NodeGrant& grant, std::int32_t node_index);

}  // namespace cox
