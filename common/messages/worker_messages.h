// What controller, worker and supervisor say to each other; see messages.h for who says what to
// whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/cluster/node.h"
#include "common/job/attempt.h"

namespace cox {

// ---- worker and controller -------------------------------------------------------------------

// Why a node gets no work that does not see the cluster's checkpoint folder.
inline constexpr std::string_view no_checkpoint_folder =
    "it does not see the cluster's checkpoint folder";

// The first word of a worker, and again after every silence: all it really has.
struct WorkerHello {
  static constexpr int tag = 1;
  Node node;                            // what it is; drained, responding, reason are not read
  std::string session;                  // random, new for each start of the worker
  std::int64_t number = 0;              // counts what the worker said in this session
  Term term_seen;                       // the highest it ever obeyed
  bool shares_checkpoints = true;       // it sees the cluster's checkpoint folder
  std::vector<AttemptStatus> attempts;  // of supervisors alive or not yet acknowledged
  std::int64_t started_ms = 0;          // first hello of the session, on the node's boot clock
  // Why it should get no work; empty: nothing is wrong with it; none: it does not know, or tell.
  std::optional<std::string> unfit{};
  JobId newest_job{};  // the highest id of any job that was ever prepared on the node; 0: none
  // How long the prolog and the epilog of the node may take: a launch may last longer by this.
  std::int64_t programs_ms = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.session, self.number, self.term_seen, self.shares_checkpoints,
          self.attempts, self.started_ms, self.unfit, self.newest_job, self.programs_ms);
  }
};

// Asks for the leases to be renewed, and tells in brief what is here, so that wish and fact can be
// compared (level, not edge).
struct Heartbeat {
  static constexpr int tag = 2;
  struct Entry {
    AttemptKey key;
    std::int64_t revision = 0;
    NodePhase phase = NodePhase::Preparing;
    std::int64_t ran_ms = 0;
    std::int64_t suspension = 0;  // number of the newest that is carried out
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit(self.key, self.revision, self.phase, self.ran_ms, self.suspension);
    }
  };
  std::string node;
  std::string session;
  std::int64_t number = 0;  // as of WorkerHello
  std::vector<Entry> attempts;
  std::optional<std::string> unfit{};  // as of WorkerHello
  // Number of the heartbeat before this one, if that has been acknowledged by now: what went both
  // ways. 0: it was not; -1: this worker does not tell.
  std::int64_t confirmed = -1;
  std::optional<NodeLoad> load{};  // none: the worker does not report it, or cannot read it

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.session, self.number, self.attempts, self.unfit, self.confirmed,
          self.load);
  }
};

// Repeated until a StatusAck names this revision or a later one.
struct StatusReport {
  static constexpr int tag = 3;
  std::string node;
  AttemptStatus status;
  std::string session;      // empty between supervisor and worker
  std::int64_t number = 0;  // as of WorkerHello

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.status, self.session, self.number);
  }
};

// The files of a RemoveCheckpoint are gone, or were gone before.
struct CheckpointRemoved {
  static constexpr int tag = 4;
  static constexpr int since_version = 2;
  std::string node;
  AttemptKey key;
  std::int64_t step = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.key, self.step);
  }
};

struct Welcome {
  static constexpr int tag = 10;
  Term term;
  std::string cluster_name;
  std::int64_t heartbeat_ms = 0;
  std::string session;  // of the hello it answers

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.cluster_name, self.heartbeat_ms, self.session);
  }
};

// Renews every lease on the node, from the moment the numbered heartbeat was sent. Exempt from
// commit-before-send. hello_wanted: the controller does not know this worker.
struct HeartbeatAck {
  static constexpr int tag = 11;
  Term term;
  std::string session;
  std::int64_t number = 0;
  bool hello_wanted = false;
  std::int64_t lease_ms = 0;  // 0: leases never end
  // The controller does not know whether it still leads: it counts only if no other one does.
  bool unsure = false;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.session, self.number, self.hello_wanted, self.lease_ms, self.unsure);
  }
};

// What the controller had heard of the node when it wrote this: `number` of `session`. A worker
// that has listed its attempts in a later message may have been taken at its word, and the attempt
// be given up since; see goes_by_itself().
struct Prepare {
  static constexpr int tag = 12;
  Term term;
  LaunchSpec launch;
  std::string session{};
  std::int64_t number = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.launch, self.session, self.number);
  }
};

struct Go {
  static constexpr int tag = 13;
  Term term;
  AttemptKey key;
  GoOrder order;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.order);
  }
};

struct Stop {
  static constexpr int tag = 14;
  Term term;
  AttemptKey key;
  StopOrder order;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.order);
  }
};

// The controller has committed what this revision told. Of a Gone attempt: forget it.
struct StatusAck {
  static constexpr int tag = 15;
  AttemptKey key;
  std::int64_t revision = 0;
  // A former leader knows nothing of attempts since, and takes them for over. None: of the version
  // before.
  Term term{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key, self.revision, self.term);
  }
};

// A checkpoint's files may be removed: `job_checkpoint_dir/attempt-K/step-N`. Repeated until a
// CheckpointRemoved answers it. Step -1: the attempt is over; its folder is removed if it is empty,
// without an answer.
struct RemoveCheckpoint {
  static constexpr int tag = 16;
  Term term;
  AttemptKey key;  // the attempt that saved it
  std::int64_t step = 0;
  std::string job_checkpoint_dir;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.step, self.job_checkpoint_dir);
  }
};

// Repeated until a status or a heartbeat names this number or a later one.
struct Suspend {
  static constexpr int tag = 18;
  Term term;
  AttemptKey key;
  Suspension order;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.order);
  }
};

// Repeated until a status lists the step.
struct LaunchStep {
  static constexpr int tag = 19;
  Term term;
  AttemptKey key;
  StepLaunch launch;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.launch);
  }
};

// SIGCONT and SIGTERM, then SIGKILL. Repeated until a status says that it is gone.
struct StopStep {
  static constexpr int tag = 20;
  Term term;
  AttemptKey key;
  std::int32_t number = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.number);
  }
};

// A signal that somebody sends: once, to what there is.
struct SignalAttempt {
  static constexpr int tag = 21;
  Term term;
  AttemptKey key;
  std::int32_t signal = 0;
  std::int32_t step = -1;    // this one alone; -1: all
  bool to_steps = true;      // else none of them
  bool to_batch = false;     // the ranks that are no step's: the batch shell alone
  bool to_children = false;  // and all that the batch shell has started

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.term, self.key, self.signal, self.step, self.to_steps, self.to_batch,
          self.to_children);
  }
};

struct Rejected {  // a worker or a client that may not speak here, or not like this
  static constexpr int tag = 17;
  Refusal why;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.why);
  }
};

// From a controller that stands by: whoever asked is to ask the others.
struct NotLeader {
  static constexpr int tag = 35;
  std::string leader;       // its name, as far as is known; for people
  std::int64_t number = 0;  // of what was asked (common/messages/standing_by.h)
  std::string hindrance{};  // why it could not lead though nobody did; for people

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.leader, self.number, self.hindrance);
  }
};

// ---- supervisor ------------------------------------------------------------------------------

struct RenewLease {
  static constexpr int tag = 30;
  Boot until;  // on the node's boot clock

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.until);
  }
};

// To the step daemon, before what was suspended goes on: for so long nothing ran here, and no limit
// of a step counts it.
struct StepsStood {
  static constexpr int tag = 34;
  std::int64_t stood_ms = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.stood_ms);
  }
};

struct CheckpointDone {
  static constexpr int tag = 31;
  std::int32_t rank = 0;
  std::int64_t step = 0;
  std::int32_t job_step = -1;  // whose rank it is: a step's; -1: the job's own

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.rank, self.step, self.job_step);
  }
};

// By a rank: how far it has come. Not answered, so that no training waits for it.
struct ProgressReport {
  static constexpr int tag = 122;
  static constexpr int since_version = 2;
  Progress progress;  // without its times and the first step: those are the supervisor's

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.progress);
  }
};

struct CheckpointAnswer {
  static constexpr int tag = 32;
  SavedStep saved;
  std::optional<Refusal> refused;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.saved, self.refused);
  }
};

}  // namespace cox
