// What the versions of the protocol know. For the codec, and for whoever judges what a peer is
// told.
//
// Between two versions lie new fields, which the version before passes over, and:
// - new messages (and new questions, in a Request): `static constexpr int since_version = 2;` in
// the struct.
//   A peer of the version before is never sent one;
// - new values of enums: an overload of last_before(). A peer of the version before is told the
//   enum's first value instead. Only a question keeps the new value: a peer that does not know it
//   must refuse the question instead of answering a different one.
#pragma once

#include <algorithm>
#include <variant>

#include "common/messages/messages.h"

namespace cox {

// The oldest version that knows the message and what is in it.
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

// The last value of each enum that travels: anything beyond it is refused.
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
  return JobVerb::CancelCron;
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

// The last value that the version before knows.
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

}  // namespace cox
