// Supervision: what a supervisor does about one attempt on one node, as a pure state machine.
// Events say what happened, the answer says what to do next; time comes in as `now`.
// worker/supervisor/io carries the actions out for real; the simulator runs the same class in
// virtual time.
//
//   STARTUP    Begun → RunNodeProgram (the prolog, if the site has one) → NodeProgramEnded →
//              PrepareNode → Prepared: Ready. Nothing of the user's runs yet.
//   OPERATION  GoAsked, or alone Prepared → StartRanks → RankStarted: Running.
//              SaveAsked → Seal → AnswerSave.
//              SuspendAsked → FreezeEverything → Frozen: it stands still. SuspendAsked likewise, to
//              go on, or any end: ThawEverything.
//              StopAsked, or the lease's end: reason, signal, SIGTERM, SIGKILL, as time goes by.
//              StepAsked → BeginStep → StepSaid: a step of srun's, run by the step daemon.
//   TEARDOWN   every rank has exited → KillEverything → Emptied → RunNodeProgram (the epilog, if
//              the site has one) → NodeProgramEnded: Gone, Finish. Where no rank runs, every step
//              is gone and a stop was asked. The epilog runs after a launch that failed too.
//
// Whoever runs it hands over each event once, feeds a Tick when wakeup() has come, and executes the
// actions in order. Publish means: write status() down, so that it outlives us (and the machine,
// where it tells of a saved step), then tell the worker.
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
#include "worker/supervisor/node_program.h"
#include "worker/supervisor/output_bound.h"

namespace cox {
namespace supervisor {

// ---- events ----------------------------------------------------------------------------------

struct Begun {};

// The node's prolog or epilog has ended. Empty: it did its work; otherwise node_program_error().
struct NodeProgramEnded {
  std::string error;
};

// What the ranks' files held before the first of them ran.
struct LogStart {
  std::int32_t rank = 0;
  std::int64_t output_from = 0;  // bytes
  std::int64_t error_from = 0;
};

struct Prepared {
  std::int32_t master_port = 0;  // on the first node
  std::vector<LogStart> logs{};
};

struct PrepareFailed {
  Refusal why;
  bool node_at_fault = true;
  bool resume_damaged = false;
};

struct GoAsked {
  GoOrder order;
};

struct StopAsked {
  StopOrder order;
};

struct SuspendAsked {
  Suspension order;
};

// Nothing of the attempt runs any more, as FreezeEverything wanted.
struct Frozen {
  std::int64_t number = 0;
};

struct LeaseRenewed {
  Boot until;
};

struct StepAsked {
  StepLaunch launch;
};

struct StepStopAsked {
  std::int32_t number = 0;
};

struct SignalAsked {
  std::int32_t signal = 0;
  std::int32_t step = -1;  // -1: all
  bool to_steps = true;
  bool to_ranks = false;
  bool whole_group = false;  // of the ranks and tasks, not they alone
};

// By the step daemon.
struct StepSaid {
  StepStatus status;
};

// The step daemon is gone, and with it all that it ran.
struct StepdLost {};

// The controller has committed what this revision told.
struct Acknowledged {
  std::int64_t revision = 0;
};

struct RankStarted {
  std::int32_t rank = 0;
};

// The command never ran: its output could not be opened, or there is no such program.
struct RankStartFailed {
  std::int32_t rank = 0;
  std::int32_t exit_code = 1;
  std::string note;
};

struct RankExited {
  std::int32_t rank = 0;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool out_of_memory = false;  // an oom_kill counter grew
  StepUsage usage{};           // its own, and of those that it has waited for
};

// A task that saves: a rank of the job's own, or of a job step.
struct Saver {
  std::int32_t job_step = -1;  // -1: the job's own
  std::int32_t rank = 0;
  constexpr auto operator<=>(const Saver&) const = default;
};

// `cox checkpoint done`; the token finds the asker again.
struct SaveAsked {
  Saver saver;
  std::int64_t step = 0;
  std::int64_t token = 0;
};

// `cox progress`: `at` and the first step are not set yet.
struct ProgressSaid {
  Progress progress;
};

// The outcome of Seal. Neither saved nor refused: there was nothing newer to seal.
struct Sealed {
  std::int64_t number = 0;
  std::optional<SavedStep> saved;
  std::optional<Refusal> refused;
};

// What KillEverything has not ended, again and again, for so long as was asked.
struct Unkillable {
  KillFailure how = KillFailure::Held;
};

// Nothing of the attempt is left on the node. Fed after KillEverything, each time.
struct Emptied {};

// What a look at the ranks' output has found, while any runs.
struct OutputSeen {
  OutputTaken taken;
  std::string full;  // one whose disk is full; empty: there is room
};

struct Tick {};

using Event =
    std::variant<Begun, Prepared, PrepareFailed, GoAsked, StopAsked, SuspendAsked, Frozen,
                 LeaseRenewed, RankStarted, RankStartFailed, RankExited, SaveAsked, Sealed, Emptied,
                 Unkillable, StepAsked, StepStopAsked, SignalAsked, StepSaid, StepdLost,
                 Acknowledged, OutputSeen, ProgressSaid, NodeProgramEnded, Tick>;

// ---- actions ---------------------------------------------------------------------------------

// Answered with NodeProgramEnded.
struct RunNodeProgram {
  NodeProgram which = NodeProgram::None;
};

// Answered with Prepared or PrepareFailed.
struct PrepareNode {
  bool reserve_port = false;
  std::vector<std::int32_t> ranks;         // that will run here
  std::vector<std::int32_t> verify_ranks;  // whose saved files must be whole
};

// Answered with a RankStarted or RankStartFailed for each, and later a RankExited for the started.
struct StartRanks {
  GoOrder order;
  std::vector<std::int32_t> ranks;
};

struct WriteReason {
  StopWhy why = StopWhy::None;
};

struct SignalRanks {
  std::vector<std::int32_t> signals;  // in this order; none: they are told alone
  bool whole_group = true;            // false: each rank's own process alone
  StopWhy told = StopWhy::None;       // first, in their standard error: why they are ended
};

// Answered with StepSaid, or StepdLost.
struct BeginStep {
  StepLaunch launch;
};

// SIGCONT and SIGTERM, then SIGKILL.
struct EndStep {
  std::int32_t number = 0;
};

struct SignalSteps {
  std::vector<std::int32_t> signals;  // in this order
  std::int32_t number = -1;           // -1: all
  bool whole_group = false;           // false: each task's own process alone
};

// Stops every process that the attempt has on this node, again and again until none runs; then
// Frozen. ThawEverything and KillEverything end it.
struct FreezeEverything {
  std::int64_t number = 0;
};
struct ThawEverything {
  Milliseconds stood{0};  // everything, since it was Frozen
};

// SIGKILL to whatever the attempt has on this node, again and again until nothing is left; then
// Emptied.
struct KillEverything {};

// Answered with Sealed. Without a step: the newest one above `above_step` that the rank has saved.
struct Seal {
  std::int64_t number = 0;
  std::int32_t rank = 0;
  std::optional<std::int64_t> step;
  std::int64_t above_step = -1;
};

// Gives up what Seal and PrepareNode have under way; no answer is awaited any more.
struct AbandonFileWork {};

struct AnswerSave {
  std::int64_t token = 0;
  SavedStep saved;
  std::optional<Refusal> refused;
};

struct Publish {};
struct Finish {};

using Action = std::variant<PrepareNode, StartRanks, WriteReason, SignalRanks, BeginStep, EndStep,
                            SignalSteps, FreezeEverything, ThawEverything, KillEverything, Seal,
                            AbandonFileWork, AnswerSave, RunNodeProgram, Publish, Finish>;

}  // namespace supervisor

class Supervision {
 public:
  // Sealing may outlast SIGKILL by so long before it is given up.
  static constexpr Milliseconds seal_after_kill_max{600'000};
  static constexpr std::size_t seals_per_rank_max = 4;
  // There is room again when there was for so long: who comes and goes is not told each time.
  static constexpr Milliseconds room_again{20'000};

  Supervision(LaunchSpec launch, Now now);

  std::vector<supervisor::Action> on(const supervisor::Event& event, Now now);
  const AttemptStatus& status() const { return status_; }
  // When a Tick is due, if nothing else happens before.
  std::optional<Boot> wakeup() const;

 private:
  // How far the ranks' ending has gone.
  enum class Ending : std::uint8_t { None, Asked, Terminated, Killed };
  struct PendingSeal {
    std::int64_t number = 0;
    supervisor::Saver saver{};
    std::optional<std::int64_t> step{};  // none: the newest, for an exit code 75
    std::vector<std::int64_t> tokens{};  // who asked
    bool after_stop = false;
  };
  struct HeldExit {
    supervisor::RankExited exited;
    Wall ended;
  };

  void handle(const supervisor::Begun&, Now);
  void handle(const supervisor::Prepared&, Now);
  void handle(const supervisor::PrepareFailed&, Now);
  void handle(const supervisor::GoAsked&, Now);
  void handle(const supervisor::StopAsked&, Now);
  void handle(const supervisor::SuspendAsked&, Now);
  void handle(const supervisor::Frozen&, Now);
  void handle(const supervisor::LeaseRenewed&, Now);
  void handle(const supervisor::RankStarted&, Now);
  void handle(const supervisor::RankStartFailed&, Now);
  void handle(const supervisor::RankExited&, Now);
  void handle(const supervisor::SaveAsked&, Now);
  void handle(const supervisor::Sealed&, Now);
  void handle(const supervisor::Emptied&, Now);
  void handle(const supervisor::Unkillable&, Now);
  void handle(const supervisor::StepAsked&, Now);
  void handle(const supervisor::StepStopAsked&, Now);
  void handle(const supervisor::SignalAsked&, Now);
  void handle(const supervisor::StepSaid&, Now);
  void handle(const supervisor::StepdLost&, Now);
  void handle(const supervisor::Acknowledged&, Now);
  void handle(const supervisor::OutputSeen&, Now);
  void handle(const supervisor::ProgressSaid&, Now);
  void handle(const supervisor::NodeProgramEnded&, Now);
  void handle(const supervisor::Tick&, Now) {}

  void prepare();
  void go(const GoOrder& order, Now now);
  void advance(Now now);  // does what time demands
  void end_lease(Now now);
  void stop(const StopOrder& order, Now now);
  void thaw(Now now);
  // Whether the attempt ends here: it is not suspended any more.
  bool is_ending() const {
    return status_.phase != NodePhase::Running || ending_ != Ending::None || sweeping_;
  }
  void terminate(Now now);
  void kill(Now now);
  void begin_seal(PendingSeal pending);
  std::vector<SavedStep>* saved_by(const supervisor::Saver& saver);
  std::optional<supervisor::Saver> other_saver(const supervisor::SaveAsked& asked);
  void tell_saved(std::int32_t job_step);
  void ask_to_save();
  void signal_to_stop(supervisor::SignalRanks signal, bool tells_steps);
  StopWhy told_of_end(const std::vector<std::int32_t>& signals);
  bool has_live_steps() const;
  StepStatus* find_step(std::int32_t number);
  void drop_held_steps();
  void end_live_steps(const std::string& note);
  void forget_steps(std::int64_t revision);
  // Publishes exits whose seals are done. Once all have exited, and their steps, it cleans up.
  void settle_exits(Now now);
  void end_steps_beside(Now now);
  void leave();  // nothing more of the attempt happens here, except its epilog
  void run_epilog();
  void become_gone();
  void add_note(const std::string& note);
  void tell_notes();
  Boot progress_due() const;
  void tell_progress(Now now);
  bool is_sealing(const supervisor::Saver& saver) const;
  bool all_exited() const;
  RankStatus* find_rank(std::int32_t rank);
  std::optional<Refusal> refuse_save(const supervisor::SaveAsked& asked);

  LaunchSpec launch_;
  AttemptStatus status_;
  Boot lease_until_{};
  bool lease_ended_ = false;
  NodeProgram program_ = NodeProgram::None;           // the one that runs
  bool leaves_ = false;                               // see leave()
  std::optional<supervisor::PrepareFailed> refusal_;  // reported when no process is left
  Boot went_{};
  Suspension suspension_;  // the newest asked for
  Boot stands_since_{};    // Boot{}: it runs
  Milliseconds stood_{0};  // before
  StopOrder order_;
  Ending ending_ = Ending::None;
  bool steps_asked_ = false;          // the order to stop has reached the job's steps
  bool has_told_end_ = false;         // to the batch script
  Boot term_at_{};                    // when Asked
  Boot kill_at_{};                    // when Terminated
  Boot kill_by_ = Boot::max();        // the lease's promise, whatever the order says
  bool sweeping_ = false;             // all ranks have exited; waiting for Emptied
  std::vector<HeldExit> held_exits_;  // until what they saved is sealed
  std::vector<PendingSeal> seals_;
  std::int64_t next_seal_ = 1;
  // Steps: asked for while it stands still; in which revision one was told to be gone; the newest
  // that are forgotten, so that none runs twice.
  std::vector<StepLaunch> held_steps_;
  std::map<std::int32_t, std::int64_t> step_gone_in_;
  std::set<std::int32_t> steps_forgotten_;
  bool had_steps_ = false;
  std::optional<Progress> progress_;   // received, not reported yet
  std::optional<Boot> progress_told_;  // time of the last report
  std::string notes_;                  // that stay
  std::string full_output_;            // a file whose disk is full; empty: there is room
  Boot room_since_{};                  // Boot{}: it was full when it was looked at last
  std::map<std::int32_t, std::vector<std::int32_t>> step_tasks_;  // here, by the step's number
  std::map<supervisor::Saver, std::vector<SavedStep>> saved_by_steps_;
  std::vector<supervisor::Action> before_publish_;
  std::vector<supervisor::Action> after_publish_;
};

}  // namespace cox
