// What the versions of the protocol know. For the codec and its tests.
#pragma once

#include "common/messages.h"

namespace cox {

// The last value of each enum that travels: anything beyond it is refused.
constexpr JobState last_of(JobState) {
  return JobState::Deadline;
}
constexpr JobForm last_of(JobForm) {
  return JobForm::Allocation;
}
constexpr CheckpointBy last_of(CheckpointBy) {
  return CheckpointBy::Rank0;
}
constexpr WaitReason last_of(WaitReason) {
  return WaitReason::ReservationDeleted;
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
  return JobVerb::Resume;
}
constexpr Recurrence last_of(Recurrence) {
  return Recurrence::Weekend;
}
constexpr Distribution last_of(Distribution) {
  return Distribution::Plane;
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
constexpr ReservationVerb last_of(ReservationVerb) {
  return ReservationVerb::Delete;
}

}  // namespace cox
