// The differences between versions of the protocol. Used by the codec, and by code that decides
// what a peer can receive.
//
// Two consecutive versions differ in new fields, which the older version ignores, and in:
// - new messages, and new requests in a Request: the struct has the member
//   `static constexpr int since_version = 2;`. They are never sent to a peer of the older version;
// - new enum values: an overload of last_before(). A peer of the older version gets the enum's
//   first value instead. Only a request keeps the new value: a peer that does not know it must
//   refuse the request instead of answering a different one.
#pragma once

#include <algorithm>
#include <variant>

#include "common/messages/messages.h"

namespace cox {

// Returns the oldest protocol version that has the message, and the request or reply in it.
template <class T>
int since_version(const T& message) {
  int since = 1;
  if constexpr (requires { T::since_version; }) since = T::since_version;
  if constexpr (requires { message.body; })
    since = std::visit([&](const auto& body) { return std::max(since, since_version(body)); },
                       message.body);
  return since;
}
inline int since_version(const Message& message) {
  return std::visit([](const auto& one) { return since_version(one); }, message);
}

// These return the last value of each enum that messages contain. The codec refuses a larger value.
constexpr JobState last_of(JobState) {
  return JobState::Deadline;
}
constexpr JobForm last_of(JobForm) {
  return JobForm::Allocation;
}
constexpr DrainedBy last_of(DrainedBy) {
  return DrainedBy::PrologEpilog;
}
constexpr KillFailure last_of(KillFailure) {
  return KillFailure::Runs;
}
constexpr CheckpointBy last_of(CheckpointBy) {
  return CheckpointBy::Rank0;
}
constexpr WaitReason last_of(WaitReason) {
  return WaitReason::JobHoldMaxRequeue;
}
constexpr PartitionVerb last_of(PartitionVerb) {
  return PartitionVerb::Delete;
}
constexpr DependencyKind last_of(DependencyKind) {
  return DependencyKind::AfterCorr;
}
constexpr NodePhase last_of(NodePhase) {
  return NodePhase::Gone;
}
constexpr RankPhase last_of(RankPhase) {
  return RankPhase::Exited;
}
constexpr ResumeFault last_of(ResumeFault) {
  return ResumeFault::Differs;
}
constexpr StopWhy last_of(StopWhy) {
  return StopWhy::Deadline;
}
constexpr PreemptMode last_of(PreemptMode) {
  return PreemptMode::Suspend;
}
constexpr PartitionState last_of(PartitionState) {
  return PartitionState::Inactive;
}
constexpr Tres last_of(Tres) {
  return Tres::Licences;
}
constexpr JobVerb last_of(JobVerb) {
  return JobVerb::RequeueFrom;
}
constexpr Recurrence last_of(Recurrence) {
  return Recurrence::Weekend;
}
constexpr Distribution last_of(Distribution) {
  return Distribution::Arbitrary;
}
constexpr StepPhase last_of(StepPhase) {
  return StepPhase::Gone;
}
constexpr StreamName last_of(StreamName) {
  return StreamName::Error;
}
constexpr StreamMode last_of(StreamMode) {
  return StreamMode::Null;
}
constexpr TriggerEvent last_of(TriggerEvent) {
  return TriggerEvent::ControllerStarted;
}
constexpr ReservationVerb last_of(ReservationVerb) {
  return ReservationVerb::Delete;
}

// These return the last value of an enum that the previous protocol version has.
template <class E>
constexpr E last_before(E any) {
  return last_of(any);
}
constexpr DrainedBy last_before(DrainedBy) {
  return DrainedBy::KillTask;
}
constexpr WaitReason last_before(WaitReason) {
  return WaitReason::ReservationDeleted;
}
constexpr Distribution last_before(Distribution) {
  return Distribution::Plane;
}
constexpr JobVerb last_before(JobVerb) {
  return JobVerb::Resume;
}

// An enum that decides what becomes of work has no such overload, as its first value would be an
// order that nobody gave, or a report that nobody made: StopWhy::None, NodePhase::Preparing. A peer
// that does not know a value of it refuses the message.
template <class... E>
constexpr bool same_in_previous_version = ((last_before(E{}) == last_of(E{})) && ...);
static_assert(same_in_previous_version<StopWhy, NodePhase, RankPhase, StepPhase, KillFailure,
                                       ResumeFault, JobState, JobForm, CheckpointBy, PreemptMode>);

}  // namespace cox
