// Supervision: what a supervisor does about one attempt on one node, as a pure state machine. It
// takes events and the time `now`, and returns actions. worker/supervisor/io carries the actions
// out; the simulator runs the same class in virtual time.
//
// Events, and the actions (→) and phases of the attempt (:) that follow:
//   STARTUP    Begun → RunNodeProgram (the prolog, if the site has one) → NodeProgramEnded →
//              PrepareNode → Prepared: Ready. Nothing of the user's runs yet.
//   OPERATION  GoOrdered, or Prepared if no Go is needed → StartRanks → RankStarted: Running.
//              SaveRequested → Seal → AnswerSave.
//              SuspensionOrdered → FreezeEverything → Frozen: suspended. A SuspensionOrdered that
//              resumes, or any end → ThawEverything.
//              StopOrdered, or the lease's end: reason, signal, SIGTERM, SIGKILL, as time passes.
//              StepOrdered → BeginStep → StepReported: a step of srun, run by the step daemon.
//   TEARDOWN   every rank has exited → KillEverything → Emptied → RunNodeProgram (the epilog, if
//              the site has one) → NodeProgramEnded: Gone, Finish. On a node without ranks it
//              begins when a stop was ordered and every step is gone. A failed launch has an epilog
//              too.
//
// The owner passes each event once, passes a Tick when wakeup() is due, and executes the actions in
// order. Publish means: write status() to disk, so that it outlives the supervisor (and the
// machine, if it reports a newly saved step), then send it to the worker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/attempt.h"
#include "common/job/open_mode.h"
#include "worker/supervisor/node_program.h"
#include "worker/supervisor/output_bound.h"

namespace cox {
namespace supervisor {

// ---- events ----------------------------------------------------------------------------------

struct Begun {};

// The node's prolog or epilog has ended. `error`: node_program_error(); empty: it succeeded.
struct NodeProgramEnded {
  std::string error;
};

// The sizes that a rank's output files have before the attempt's ranks start, in bytes.
struct LogStart {
  std::int32_t rank = 0;
  std::int64_t output_from = 0;  // bytes
  std::int64_t error_from = 0;
};

struct Prepared {
  std::int32_t master_port = 0;  // MASTER_PORT, reserved on the first node only; 0: none
  std::vector<LogStart> logs{};
};

// The time in which PrepareNode may empty output files was over before it came to that.
struct PrepareLate {};

struct PrepareFailed {
  Refusal why;
  bool node_at_fault = true;
  ResumeFault resume_fault = ResumeFault::None;
};

struct GoOrdered {
  GoOrder order;
};

struct StopOrdered {
  StopOrder order;
};

struct SuspensionOrdered {
  Suspension order;
};

// All processes of the attempt are suspended, as FreezeEverything ordered.
struct Frozen {
  std::int64_t number = 0;
};

struct LeaseRenewed {
  Boot until;
};

struct StepOrdered {
  StepLaunch launch;
};

struct StepStopOrdered {
  std::int32_t number = 0;
};

struct SignalOrdered {
  std::int32_t signal = 0;
  std::int32_t step = -1;  // below 0: all steps of the job
  bool to_steps = true;
  bool to_ranks = false;
  // To whole process groups; false: only to the processes of ranks and tasks.
  bool whole_group = false;
};

// The step daemon reports the status of a step. A second report of its end means that its srun has
// received everything, or is gone.
struct StepReported {
  StepStatus status;
};

// The step daemon has ended, and its tasks with it.
struct StepdLost {};

// The controller has committed the attempt's status up to this revision.
struct Acknowledged {
  std::int64_t revision = 0;
};

struct RankStarted {
  std::int32_t rank = 0;
};

// The rank's command never ran: its output could not be opened, or there is no such program.
struct RankStartFailed {
  std::int32_t rank = 0;
  std::int32_t exit_code = 1;
  std::string note;
};

struct RankExited {
  std::int32_t rank = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool out_of_memory = false;  // the kernel's OOM killer has ended a process
  StepUsage usage{};  // resources used by the rank and by the children that it has waited for
  // The supervisor's socket was not there under its name, so the rank could not report to it.
  bool cut_off = false;
};

// A task that saves: a rank of the job itself, or of a job step.
struct Saver {
  std::int32_t job_step = -1;  // below 0: a rank of the job itself
  std::int32_t rank = 0;
  constexpr auto operator<=>(const Saver&) const = default;
};

// A task has called `cox checkpoint done` for a training step. An AnswerSave with the same token is
// the reply.
struct SaveRequested {
  Saver saver;
  std::int64_t step = 0;
  std::int64_t token = 0;
};

// A task has called `cox checkpoint finished`: the job's work is done. An AnswerSave with the same
// token is the reply.
struct FinishReported {
  std::int64_t token = 0;
};

// A task has called `cox progress`. Its time and its first step are set later, by Supervision.
struct ProgressReported {
  Progress progress;
};

// The outcome of Seal. If neither `saved` nor `refused` is set, the rank has saved nothing newer,
// or the files of a repeated report have not changed.
struct Sealed {
  std::int64_t number = 0;
  std::optional<SavedStep> saved;
  std::optional<Refusal> refused;
  bool save_unknown = false;  // with `refused`: as RankStatus::save_unknown
  bool may_retry = false;     // with `refused`: as CheckpointAnswer::may_retry
};

// Processes have survived KillEverything for LaunchSpec::unkillable_ms. This event comes repeatedly
// while they do.
struct Unkillable {
  KillFailure how = KillFailure::Held;
};

// No process of the attempt is left on the node. This event comes once after each KillEverything.
struct Emptied {};

// A check of the ranks' output files has ended. Such checks are made while any rank runs.
struct OutputChecked {
  OutputUsage taken;
  std::string full;  // path of an output file whose disk is full; empty: no disk is full
};

struct Tick {};

using Event = std::variant<Begun, Prepared, PrepareFailed, PrepareLate, GoOrdered, StopOrdered,
                           SuspensionOrdered, Frozen, LeaseRenewed, RankStarted, RankStartFailed,
                           RankExited, SaveRequested, Sealed, Emptied, Unkillable, StepOrdered,
                           StepStopOrdered, SignalOrdered, StepReported, StepdLost, Acknowledged,
                           OutputChecked, ProgressReported, FinishReported, NodeProgramEnded, Tick>;

// ---- actions ---------------------------------------------------------------------------------

// Answered with NodeProgramEnded.
struct RunNodeProgram {
  NodeProgram which = NodeProgram::None;
};

// Prepares folders and files for the ranks. The answer is Prepared, PrepareFailed or PrepareLate.
struct PrepareNode {
  bool reserve_port = false;
  std::vector<std::int32_t> ranks;         // ranks that will run here
  std::vector<std::int32_t> verify_ranks;  // ranks whose saved files must be verified
  // All ranks that have saved are verified: steps of srun may have, with any number of tasks.
  bool verify_all = false;
  // Until when, by the boot clock, the ranks' output files may be emptied: later the job may run on
  // another node and write them. If that has come, the answer is PrepareLate. None: the files are
  // kept as they are.
  std::optional<Boot> empty_output_until{};
};

// Starts the ranks. The answer is a RankStarted or RankStartFailed for each rank, and later a
// RankExited for each started rank.
struct StartRanks {
  GoOrder order;
  std::vector<std::int32_t> ranks;
};

struct WriteReason {
  StopWhy why = StopWhy::None;
};

struct SignalRanks {
  std::vector<std::int32_t> signals;  // sent in this order; empty: none
  bool whole_group = true;            // to its process group; false: only to the rank's own process
  StopWhy reason = StopWhy::None;  // reason of the stop, written to the ranks' standard error first
};

// Starts a job step. The answers are a StepReported for each new status of the step, or StepdLost.
struct BeginStep {
  StepLaunch launch;
};

// Ends a step with SIGCONT and SIGTERM, then SIGKILL.
struct EndStep {
  std::int32_t number = 0;
};

struct SignalSteps {
  std::vector<std::int32_t> signals;  // in this order
  std::int32_t number = -1;           // number of the step; below 0: all steps
  bool whole_group = false;           // to process groups; false: only to each task's own process
};

// Suspends every process of the attempt on this node, repeatedly until none runs. The answer is
// Frozen. It is not sent if a ThawEverything or KillEverything comes before.
struct FreezeEverything {
  std::int64_t number = 0;
};
struct ThawEverything {
  // How long all processes were suspended; 0: Frozen had not come yet.
  Milliseconds suspended_time{0};
};

// Sends SIGKILL to every process of the attempt on this node, repeatedly until none is left. The
// answer is Emptied.
struct KillEverything {};

// Seals what a rank has saved in `step`; without it, in the newest step above `above_step`. The
// answer is Sealed. If the rank has saved no file though it `must_have_files`, the seal is refused.
// `is_repeat`: the step is sealed already and is reported again, so its files are only compared.
// They are refused if they have changed, with save_unknown if they cannot be read.
struct Seal {
  std::int64_t number = 0;
  std::int32_t rank = 0;
  std::optional<std::int64_t> step;
  std::int64_t above_step = -1;
  bool must_have_files = false;
  bool is_repeat = false;
  bool is_of_job_step = false;
};

// Ends all work of Seal and PrepareNode that is in progress; no answers follow.
struct AbandonFileWork {};

struct AnswerSave {
  std::int64_t token = 0;
  SavedStep saved;
  std::optional<Refusal> refused;
  bool may_retry = false;  // as Sealed::may_retry
};

struct Publish {};
struct Finish {};

using Action = std::variant<PrepareNode, StartRanks, WriteReason, SignalRanks, BeginStep, EndStep,
                            SignalSteps, FreezeEverything, ThawEverything, KillEverything, Seal,
                            AbandonFileWork, AnswerSave, RunNodeProgram, Publish, Finish>;

}  // namespace supervisor

class Supervision {
 public:
  // How long after SIGKILL the saved files may still be sealed before that is given up.
  static constexpr Milliseconds seal_after_kill_max{600'000};
  static constexpr std::size_t seals_per_rank_max = 4;
  // How long the disk of an output file must have room before it is no longer reported as full.
  static constexpr Milliseconds room_again{20'000};
  // How long, after a step has ended here, its srun may take to receive the last of it before the
  // step daemon is killed with what the attempt has left behind.
  static constexpr Milliseconds release_max{5'000};

  Supervision(LaunchSpec launch, Now now);

  std::vector<supervisor::Action> on(const supervisor::Event& event, Now now);
  const AttemptStatus& status() const { return status_; }
  // Returns when the next Tick is due; none: the state changes only by other events.
  std::optional<Boot> wakeup() const;

 private:
  // How far a stop has come: none was ordered, asked to save, SIGTERM sent, SIGKILL sent.
  enum class Ending : std::uint8_t { None, Asked, Terminated, Killed };
  struct PendingSeal {
    std::int64_t number = 0;
    supervisor::Saver saver{};
    std::optional<std::int64_t> step{};  // none: the newest step of a rank that exited with code 75
    std::vector<std::int64_t> tokens{};  // of the SaveRequested events that wait for this seal
    bool after_stop = false;
    std::optional<SavedStep> sealed{};  // as it was sealed, if it is reported again
  };
  struct CompleteSave {
    std::int32_t job_step = -1;
    std::int64_t step = -1;
  };
  struct StepTasks {
    std::vector<std::int32_t> ranks;  // of the tasks on this node
    std::int64_t all = 0;             // number of tasks on all nodes
    Boot ordered{};                   // when its start was ordered
  };
  struct HeldExit {
    supervisor::RankExited exited;
    Wall ended;
    bool asked_to_stop = false;
  };

  void handle(const supervisor::Begun&, Now);
  void handle(const supervisor::Prepared&, Now);
  void handle(const supervisor::PrepareFailed&, Now);
  void handle(const supervisor::PrepareLate&, Now now) { prepare(now); }
  void handle(const supervisor::GoOrdered&, Now);
  void handle(const supervisor::StopOrdered&, Now);
  void handle(const supervisor::SuspensionOrdered&, Now);
  void handle(const supervisor::Frozen&, Now);
  void handle(const supervisor::LeaseRenewed&, Now);
  void handle(const supervisor::RankStarted&, Now);
  void handle(const supervisor::RankStartFailed&, Now);
  void handle(const supervisor::RankExited&, Now);
  void handle(const supervisor::SaveRequested&, Now);
  void handle(const supervisor::Sealed&, Now);
  void handle(const supervisor::Emptied&, Now);
  void handle(const supervisor::Unkillable&, Now);
  void handle(const supervisor::StepOrdered&, Now);
  void handle(const supervisor::StepStopOrdered&, Now);
  void handle(const supervisor::SignalOrdered&, Now);
  void handle(const supervisor::StepReported&, Now);
  void handle(const supervisor::StepdLost&, Now);
  void handle(const supervisor::Acknowledged&, Now);
  void handle(const supervisor::OutputChecked&, Now);
  void handle(const supervisor::ProgressReported&, Now);
  void handle(const supervisor::FinishReported&, Now);
  void handle(const supervisor::NodeProgramEnded&, Now);
  void handle(const supervisor::Tick&, Now) {}

  std::vector<std::int32_t> ranks_here() const;
  std::vector<std::int32_t> ranks_to_verify() const;
  void prepare(Now now);
  bool empties_output() const {
    const bool is_first = launch_.restarts == 0 && !launch_.spec.append_output;
    return is_first || truncates_each_attempt(launch_.spec);
  }
  std::optional<Boot> empty_output_until() const;
  void go(const GoOrder& order, Now now);
  void advance(Now now);  // does what is due at this time
  void end_lease(Now now);
  void stop(const StopOrder& order, Now now);
  void thaw(Now now);
  // Returns whether the attempt is ending here. Then it cannot be suspended.
  bool is_ending() const {
    return status_.phase != NodePhase::Running || ending_ != Ending::None || sweeping_;
  }
  void end_grace(Now now);
  bool lacks_save() const;
  void terminate(Now now);
  void kill(Now now);
  void begin_seal(PendingSeal pending);
  void seal_at_exit(const RankStatus& rank);
  bool must_have_files(const PendingSeal& pending);
  void note_unknown(const supervisor::Saver& saver, bool unknown);
  void record_save(const PendingSeal& pending, const SavedStep& saved);
  bool is_asked_to_stop() const;
  std::vector<SavedStep>* saved_by(const supervisor::Saver& saver);
  std::optional<supervisor::Saver> other_saver(const supervisor::SaveRequested& asked);
  bool has_saves(std::int32_t job_step) const;
  std::optional<std::int32_t> saver_beside(std::int32_t job_step);
  std::optional<Refusal> refuse_beside(const supervisor::SaveRequested& asked);
  void report_saved(std::int32_t job_step);
  void ask_to_save();
  void signal_to_stop(supervisor::SignalRanks signal, bool signals_steps);
  StopWhy reason_to_write(const std::vector<std::int32_t>& signals);
  bool has_live_steps() const;
  void stop_script_after_steps(Now now);
  void release_steps(Now now);
  StepStatus* find_step(std::int32_t number);
  void drop_held_steps();
  void end_live_steps(const std::string& note);
  void forget_steps(std::int64_t revision);
  // Puts the exits of ranks into the status when their saved files are sealed. Once all ranks and
  // steps have exited, starts to kill what they left behind.
  void settle_exits(Now now);
  void end_steps_beside(Now now);
  void leave();  // ends everything here except the node's prolog or epilog
  void run_epilog();
  void become_gone();
  void add_note(const std::string& note);
  void report_notes();
  Boot progress_due() const;
  void report_progress(Now now);
  bool is_sealing(const supervisor::Saver& saver) const;
  bool all_exited() const;
  RankStatus* find_rank(std::int32_t rank);
  std::optional<Refusal> refuse_save(const supervisor::SaveRequested& asked);
  std::optional<std::int64_t> resumed_step() const;
  std::int64_t newest_save() const;

  LaunchSpec launch_;
  AttemptStatus status_;
  Boot lease_until_{};
  // When the controller had surely heard of this node last; none: not known.
  std::optional<Boot> contact_{};
  bool lease_ended_ = false;
  bool waits_for_contact_ = false;           // see prepare()
  NodeProgram program_ = NodeProgram::None;  // the running one
  bool leaves_ = false;                      // see leave()
  // Why preparing failed; reported when no process is left.
  std::optional<supervisor::PrepareFailed> refusal_;
  Boot ran_since_{};
  Suspension suspension_;             // the newest order
  Boot suspended_since_{};            // when the attempt was suspended; Boot{}: it is not
  Milliseconds suspended_before_{0};  // total time of earlier suspensions
  StopOrder order_;
  Ending ending_ = Ending::None;
  bool steps_signalled_ = false;      // the steps have been signalled for this stop
  bool has_reported_end_ = false;     // the reason of the stop was written to the script's stderr
  Boot term_at_{};                    // when SIGTERM is due, in stage Asked
  Boot kill_at_{};                    // when SIGKILL is due, in stage Terminated
  Boot kill_by_ = Boot::max();        // latest time for SIGKILL after the lease's end
  bool sweeping_ = false;             // all ranks have exited; KillEverything runs until Emptied
  std::vector<HeldExit> held_exits_;  // exits of ranks whose saved files are still being sealed
  std::vector<PendingSeal> seals_;
  std::int64_t next_seal_ = 1;
  std::vector<StepLaunch> held_steps_;  // steps ordered while suspended; they begin on resume
  // By step: first revision of the status in which it was Gone.
  std::map<std::int32_t, std::int64_t> step_gone_in_;
  // Steps that ended recently: a late order must not run them again.
  std::set<std::int32_t> steps_forgotten_;
  bool had_steps_ = false;
  // Steps that have ended and whose srun may not have received the last of it, until release_by_.
  std::set<std::int32_t> unreleased_steps_;
  Boot release_by_{};
  std::optional<Progress> progress_;       // newest progress that is not reported yet
  std::optional<Boot> progress_reported_;  // when progress was last reported
  // Whether a task has said that the job's work is done, by `cox checkpoint finished` or by a
  // report of progress with the last step, and no step above finished_after_ was saved since: the
  // task may have meant only its own part, and another program of the job goes on.
  bool is_finished_ = false;
  std::int64_t finished_after_ = -1;
  std::string notes_;        // notes that stay in the status to the end
  std::string full_output_;  // an output file whose disk is full; empty: no disk is full
  Boot room_since_{};        // since when the full disk has room again; Boot{}: it has none
  std::map<std::int32_t, StepTasks> step_tasks_;  // by step number
  std::set<std::int32_t> steps_stopped_alone_;    // by an order for the step alone
  std::map<supervisor::Saver, std::vector<SavedStep>> saved_by_steps_;
  std::map<std::int32_t, Boot> savers_gone_;  // when job steps that have saved ended on this node
  std::set<supervisor::Saver> unread_;  // tasks whose newest save could not be read or written
  // The newest training step that a job step has saved completely, as this node alone can see.
  CompleteSave complete_save_;
  std::vector<supervisor::Action> before_publish_;
  std::vector<supervisor::Action> after_publish_;
};

}  // namespace cox
