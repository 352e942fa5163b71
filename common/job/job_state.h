// The states of a job and the only transitions between them. The same table is used by the
// controller to change a state, by the store to guard its updates, and by the test trigger in the
// database. The states have Slurm's names; a preempted and requeued job is PENDING again. New
// states go to the end, because their numbers are sent and stored.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cox {

enum class JobState : std::uint8_t {
  Pending,
  Configuring,  // its nodes prepare an attempt; no user code runs
  Running,
  Signaling,   // asked to save and to end; its time for that is not over
  Completing,  // its end is decided, and its processes are ending
  Completed,
  Failed,
  Cancelled,
  Timeout,
  NodeFail,
  Preempted,  // preempted with --no-requeue
  OutOfMemory,
  Suspended,  // stopped with SIGSTOP; its CPUs are free for other jobs
  Deadline,   // it had not ended by its --deadline, or could not have
};

enum class Trigger : std::uint8_t {
  Start,           // the scheduler has placed the gang, and an attempt begins
  GangReady,       // every node is prepared, or the only node has started the job by itself
  LaunchUndone,    // a node refused the launch, was lost or was late
  StopAsked,       // a preemption, drain or time limit: the job is to save and then to end
  EndBegan,        // the job's end is decided: its ranks have ended, or are being ended
  Requeued,        // no process of the attempt is left, and the job is queued again
  EndedCompleted,  // no process of the attempt is left, and the job has ended
  EndedFailed,
  EndedCancelled,
  EndedTimeout,
  EndedNodeFail,
  EndedPreempted,
  EndedOutOfMemory,
  SuspendAsked,  // by a user, or by preemption if its QOS suspends
  ResumeAsked,   // its CPUs are free again, or a node did not suspend it in time
  EndedDeadline,
  RequeuedAfterEnd,  // a user requeues the job, which has ended
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
      // Each trigger from here on comes when no process of the attempt is left on any node.
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

// Returns the next state; nothing if the table has no such pair.
constexpr std::optional<JobState> next_state(JobState from, Trigger trigger) {
  for (const auto& t : transitions)
    if (t.from == from && t.trigger == trigger) return t.to;
  return std::nullopt;
}

constexpr bool is_final(JobState s) {
  return s >= JobState::Completed && s != JobState::Suspended;
}
// Returns whether an attempt of the job exists and holds room on its nodes.
constexpr bool is_live(JobState s) {
  return s != JobState::Pending && !is_final(s);
}

std::string_view name(JobState s);        // "RUNNING", as in squeue's %T and the SQL enum
std::string_view short_name(JobState s);  // "R", as in squeue's %t
std::string_view name(Trigger t);         // "GangReady", in job_event
// Accepts long and short names, in any case.
std::optional<JobState> job_state_from(std::string_view name);

}  // namespace cox
