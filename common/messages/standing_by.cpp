#include "common/messages/standing_by.h"

namespace cox {

namespace {

bool sets_a_state(JobVerb verb) {
  switch (verb) {
    case JobVerb::Cancel:
    case JobVerb::Hold:
    case JobVerb::Release:
    case JobVerb::CancelCron:
    case JobVerb::BeginAnew:
    case JobVerb::Suspend: return true;
    case JobVerb::Requeue:
    case JobVerb::Preempt:
    case JobVerb::RequeueHold:
    case JobVerb::RequeueFrom:
    case JobVerb::Resume: break;
  }
  return false;
}

struct IsReadOnly {
  bool operator()(const SubmitJob&) const { return false; }
  bool operator()(const SubmitJobs&) const { return false; }
  bool operator()(const ActOnJobs&) const { return false; }
  bool operator()(const ActOnNodes&) const { return false; }
  bool operator()(const ActOnReservation&) const { return false; }
  bool operator()(const UpdateJobs&) const { return false; }
  bool operator()(const UpdatePartitions&) const { return false; }
  bool operator()(const Administer&) const { return false; }
  bool operator()(const CreateStep&) const { return false; }
  bool operator()(const SignalJobs&) const { return false; }
  bool operator()(const EndAllocation&) const { return false; }
  bool operator()(const RemoveCheckpoints&) const { return false; }
  bool operator()(const VerifyCheckpoints&) const { return false; }
  bool operator()(const UpdateCrontab&) const { return false; }
  bool operator()(const SetTrigger&) const { return false; }
  bool operator()(const ClearTriggers&) const { return false; }
  bool operator()(const Reconfigure&) const { return false; }
  bool operator()(const auto&) const { return true; }
};

}  // namespace

std::int64_t number_of(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    if (const auto* request = std::get_if<Request>(&message)) return request->number;
    if (const auto* beat = std::get_if<Heartbeat>(&message)) return beat->number;
    if (const auto* hello = std::get_if<WorkerHello>(&message)) return hello->number;
  }
  return 0;
}

bool is_idempotent(const Message& message) {
  const auto* request = std::get_if<Request>(&message);
  if (request == nullptr) return true;  // a message of a worker, which workers repeat in any case
  if (const auto* act = std::get_if<ActOnJobs>(&request->body)) return sets_a_state(act->verb);
  // The parts of a snapshot must all come from the controller that began it.
  return !std::holds_alternative<UpdateJobs>(request->body) &&
         !std::holds_alternative<ActOnReservation>(request->body) &&
         !std::holds_alternative<SignalJobs>(request->body) &&
         !std::holds_alternative<Administer>(request->body) &&
         !std::holds_alternative<SetTrigger>(request->body) &&
         !std::holds_alternative<ClearTriggers>(request->body) &&
         !std::holds_alternative<TakeSnapshot>(request->body);
}

bool is_read_only(const Request& request) {
  return std::visit(IsReadOnly{}, request.body);
}

}  // namespace cox
