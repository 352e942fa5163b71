// The states of a job and the only ways between them. One table, used by the controller to change a
// state, by the store to guard its updates, and by the test trigger in the database.
// States bear Slurm's names; a preempted and requeued job is PENDING again. New ones stand at the
// end: their numbers travel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cox {

enum class JobState : std::uint8_t {
  Pending,
  Configuring,  // an attempt prepares on every node; no user code runs
  Running,
  Signaling,   // asked to save and stop; still within its grace
  Completing,  // how it ends is decided; its processes are going away
  Completed,
  Failed,
  Cancelled,
  Timeout,
  NodeFail,
  Preempted,  // preempted with --no-requeue
  OutOfMemory,
  Suspended,  // live: its processes stand still, and its CPUs are free for others
  Deadline,   // it could not end, or had not ended, by its --deadline
};

enum class Trigger : std::uint8_t {
  Start,           // the plan placed the gang: an attempt begins
  GangReady,       // every node is prepared: go; or the only one has gone by itself
  LaunchUndone,    // one node refused, was lost or was late while preparing
  StopAsked,       // preemption, drain, time limit: save, then stop
  EndBegan,        // the outcome is being reached: ranks ended, or must be ended now
  Requeued,        // the attempt is over on every node and the job waits again
  EndedCompleted,  // the attempt is over on every node, and so is the job
  EndedFailed,
  EndedCancelled,
  EndedTimeout,
  EndedNodeFail,
  EndedPreempted,
  EndedOutOfMemory,
  SuspendAsked,  // preemption by a QOS that suspends: it stands still where it is
  ResumeAsked,   // its CPUs are free again: it goes on
  EndedDeadline,
  RequeuedAfterEnd,  // a person wants a job again that has ended
};

struct Transition {
  JobState from;
  Trigger trigger;
  JobState to;
};

inline constexpr auto transitions = [] {
  using enum JobState;
  using enum Trigger;
  return std::to_array<Transition>({
      {Pending, Start, Configuring},
      {Pending, EndedCancelled, Cancelled},
      {Pending, EndedDeadline, Deadline},
      {Configuring, GangReady, Running},
      {Configuring, LaunchUndone, Completing},
      {Configuring, EndBegan, Completing},
      {Running, StopAsked, Signaling},
      {Running, EndBegan, Completing},
      {Running, SuspendAsked, Suspended},
      {Suspended, ResumeAsked, Running},
      {Suspended, StopAsked, Signaling},
      {Suspended, EndBegan, Completing},
      {Signaling, EndBegan, Completing},
      // From here on nothing of it is left on any node.
      {Completing, Requeued, Pending},
      {Completing, EndedCompleted, Completed},
      {Completing, EndedFailed, Failed},
      {Completing, EndedCancelled, Cancelled},
      {Completing, EndedTimeout, Timeout},
      {Completing, EndedNodeFail, NodeFail},
      {Completing, EndedPreempted, Preempted},
      {Completing, EndedOutOfMemory, OutOfMemory},
      {Completing, EndedDeadline, Deadline},
      {Completed, RequeuedAfterEnd, Pending},
      {Failed, RequeuedAfterEnd, Pending},
      {Cancelled, RequeuedAfterEnd, Pending},
      {Timeout, RequeuedAfterEnd, Pending},
      {NodeFail, RequeuedAfterEnd, Pending},
      {Preempted, RequeuedAfterEnd, Pending},
      {OutOfMemory, RequeuedAfterEnd, Pending},
      {Deadline, RequeuedAfterEnd, Pending},
  });
}();

inline constexpr std::array all_job_states = {
    JobState::Pending,    JobState::Configuring, JobState::Running,   JobState::Signaling,
    JobState::Completing, JobState::Completed,   JobState::Failed,    JobState::Cancelled,
    JobState::Timeout,    JobState::NodeFail,    JobState::Preempted, JobState::OutOfMemory,
    JobState::Suspended,  JobState::Deadline};

// The state that follows, or nothing when the pair is not in the table.
constexpr std::optional<JobState> next_state(JobState from, Trigger trigger) {
  for (const auto& t : transitions)
    if (t.from == from && t.trigger == trigger) return t.to;
  return std::nullopt;
}

constexpr bool is_final(JobState s) {
  return s >= JobState::Completed && s != JobState::Suspended;
}
// An attempt of the job exists and holds room on its nodes.
constexpr bool is_live(JobState s) {
  return s != JobState::Pending && !is_final(s);
}

std::string_view name(JobState s);        // "RUNNING", as squeue's %T and the SQL enum
std::string_view short_name(JobState s);  // "R", as squeue's %t
std::string_view name(Trigger t);         // "GangReady", in job_event
std::optional<JobState> job_state_from(std::string_view name);  // long or short, any case

}  // namespace cox
