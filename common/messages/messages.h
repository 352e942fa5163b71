// All messages between the programs, as plain structs. codec.h turns them into frames.
//
//   worker → controller   WorkerHello, Heartbeat, StatusReport, CheckpointRemoved,
//                         CheckpointVerified
//   controller → worker   Welcome, HeartbeatAck, Prepare, Go, Stop, Suspend, StatusAck, Rejected,
//                         LaunchStep, StopStep, SignalAttempt, RemoveCheckpoint, VerifyCheckpoint
//   standby → all         NotLeader
//   client → controller   Request{...}            controller → client   Reply{...}
//   client → worker       Request{ReadLog, SampleUsage}   → Reply{LogChunk, UsageSample}
//   worker ⇄ supervisor   Go, Stop, Suspend, RenewLease → ; ← StatusReport       (Unix socket)
//   supervisor ⇄ stepd    Prepare, Go, LaunchStep, StopStep, SignalAttempt, StepsSuspended → ;
//                         ← StepStatus                                  (Unix socket)
//   stepd ⇄ client        stream_messages.h
//   rank → supervisor     CheckpointDone, WorkFinished → ; ← CheckpointAnswer; ProgressReport →
//                                                                       (Unix socket)
//
// A struct gets new fields only at its end, and the tag of a message is never used for another one.
// A new message has the protocol version that introduced it (protocol.h).
#pragma once

#include <cstdint>
#include <variant>

#include "common/messages/client_messages.h"
#include "common/messages/stream_messages.h"
#include "common/messages/worker_messages.h"

namespace cox {

// The version of this program. It can exchange messages with programs of the previous and the next
// version.
inline constexpr int protocol_version = 2;
inline constexpr int protocol_version_before = protocol_version - 1;

using Message =
    std::variant<WorkerHello, Heartbeat, StatusReport, Welcome, HeartbeatAck, Prepare, Go, Stop,
                 Suspend, StatusAck, RemoveCheckpoint, Rejected, RenewLease, CheckpointDone,
                 CheckpointAnswer, Request, Reply, LaunchStep, StopStep, SignalAttempt, StepJoin,
                 StepBegin, TasksBegun, StreamBytes, StreamEnd, TaskEnded, StepLeft, StepReleased,
                 InputCredit, InputBytes, InputEnd, OutputCredit, SignalTasks, WindowSize,
                 StepStatus, StepGather, StepGathered, StepsSuspended, NotLeader, CheckpointRemoved,
                 ProgressReport, WorkFinished, VerifyCheckpoint, CheckpointVerified>;

}  // namespace cox
