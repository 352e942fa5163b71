#include "common/messages/messages.h"

#include <map>

#include "common/base/check.h"

namespace cox {

std::string_view name(JobVerb v) {
  switch (v) {
    case JobVerb::Cancel: return "cancel";
    case JobVerb::Hold: return "hold";
    case JobVerb::Release: return "release";
    case JobVerb::Requeue: return "requeue";
    case JobVerb::Preempt: return "preempt";
    case JobVerb::RequeueHold: return "requeuehold";
    case JobVerb::Suspend: return "suspend";
    case JobVerb::Resume: return "resume";
    case JobVerb::CancelCron: return "cancel --cron";
    case JobVerb::BeginAnew: return "release --begin-anew";
    case JobVerb::RequeueFrom: return "requeue --from";
  }
  CHECK(false && "unknown JobVerb");
}

std::string task_counts_text(const std::vector<TaskGroup>& groups) {
  std::map<JobState, std::int64_t> counts;
  for (const TaskGroup& group : groups) counts[group.state] += group.count;
  std::string text;
  for (const auto& [state, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(name(state));
  return text;
}

}  // namespace cox
