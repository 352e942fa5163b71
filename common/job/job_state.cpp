#include "common/job/job_state.h"

#include <cctype>

#include "common/base/check.h"

namespace cox {
namespace {

struct StateName {
  JobState state;
  std::string_view full;
  std::string_view brief;
};

constexpr StateName state_names[] = {
    {JobState::Pending, "PENDING", "PD"},       {JobState::Configuring, "CONFIGURING", "CF"},
    {JobState::Running, "RUNNING", "R"},        {JobState::Signaling, "SIGNALING", "SI"},
    {JobState::Completing, "COMPLETING", "CG"}, {JobState::Completed, "COMPLETED", "CD"},
    {JobState::Failed, "FAILED", "F"},          {JobState::Cancelled, "CANCELLED", "CA"},
    {JobState::Timeout, "TIMEOUT", "TO"},       {JobState::NodeFail, "NODE_FAIL", "NF"},
    {JobState::Preempted, "PREEMPTED", "PR"},   {JobState::OutOfMemory, "OUT_OF_MEMORY", "OOM"},
    {JobState::Suspended, "SUSPENDED", "S"},    {JobState::Deadline, "DEADLINE", "DL"},
};

constexpr std::string_view trigger_names[] = {
    "Start",         "GangReady",        "LaunchUndone",     "StopAsked",      "EndBegan",
    "Requeued",      "EndedCompleted",   "EndedFailed",      "EndedCancelled", "EndedTimeout",
    "EndedNodeFail", "EndedPreempted",   "EndedOutOfMemory", "SuspendAsked",   "ResumeAsked",
    "EndedDeadline", "RequeuedAfterEnd",
};

const StateName& entry(JobState s) {
  const auto index = static_cast<std::size_t>(s);
  CHECK(index < std::size(state_names) && state_names[index].state == s);
  return state_names[index];
}

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::toupper(static_cast<unsigned char>(a[i])) != b[i]) return false;
  return true;
}

}  // namespace

std::string_view name(JobState s) {
  return entry(s).full;
}
std::string_view short_name(JobState s) {
  return entry(s).brief;
}

std::string_view name(Trigger t) {
  const auto index = static_cast<std::size_t>(t);
  CHECK(index < std::size(trigger_names));
  return trigger_names[index];
}

std::optional<JobState> job_state_from(std::string_view word) {
  for (const auto& n : state_names)
    if (same_word(word, n.full) || same_word(word, n.brief)) return n.state;
  return std::nullopt;
}

}  // namespace cox
