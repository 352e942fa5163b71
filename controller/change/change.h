// What a turn makes true, as data. Each change carries the whole new row; Cluster::apply folds it
// into memory, Store::commit writes it to PostgreSQL, and both are the same truth.
//
// A job's change names the state and the attempt it leaves: the store updates only a row that is
// still there (a guard), and apply CHECKs the same.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/cluster/advance_reservation.h"
#include "common/cluster/association.h"
#include "common/cluster/event_trigger.h"
#include "common/cluster/node.h"
#include "common/cluster/partition.h"
#include "common/cluster/qos.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/job_event.h"
#include "common/syntax/crontab.h"
#include "controller/change/job_wait.h"
#include "controller/change/recovery.h"

namespace cox {

// A script or an environment, stored once by content (hash: see blob_key.h).
struct Blob {
  std::string hash;
  std::string content;
};

struct JobAdded {
  Job job;
  std::optional<Blob> script;
  std::optional<Blob> environment;
};

struct JobChanged {
  Job job;              // as it is now
  JobState state_left;  // as it was
  AttemptNumber attempt_left;
};

// A person has changed what it asks for; nothing else of its row.
struct JobRespecified {
  Job job;
};

struct AttemptAdded {
  Attempt attempt;
};

struct AttemptChanged {
  Attempt attempt;
};

struct CheckpointAdded {
  Checkpoint checkpoint;
};

struct CheckpointChanged {
  Checkpoint checkpoint;
};

struct NodeChanged {  // added or changed
  Node node;
};

struct PartitionChanged {  // for the first time or again
  Partition partition;
};

struct EventAdded {
  JobEvent event;
};

struct WaitTold {  // for the first time or anew
  JobWait wait;
};

struct WaitOver {
  JobId id;
};

struct EstimateMet {
  StartEstimate estimate;
};

// Of accounts, users and tiers what an administrator said, and what their jobs have used.
struct AssociationPut {
  Association association;
};

struct AssociationRemoved {  // REQUIRES: no job is charged to it
  AssociationId id;
};

struct QosPut {
  Qos qos;
};

struct QosRemoved {
  std::string name;
};

struct QosUsed {
  QosUsage usage;
};

// What an administrator said by command or by SQL, and what became of it.
struct RequestAnswered {
  std::int64_t id = 0;  // the row that asked; 0: it was no row, and becomes one
  std::string by;
  std::string command;
  bool refused = false;
  std::vector<std::string> lines;
};

// The job leaves the controller's memory (it ended min_job_age ago). Nothing changes in PostgreSQL.
struct JobForgotten {
  JobId id;
};

struct NodeNoted {  // a line of a node's history
  NodeEvent event;
};

struct StepPut {  // of a live attempt; added or changed
  Step step;
};

struct PartitionRemoved {  // one that was made while the cluster ran
  std::string name;
};

struct ReservationPut {  // added or changed
  AdvanceReservation reservation;
  std::string what;  // "created", "updated", "next occurrence"
};

struct ReservationRemoved {
  std::string name;
  std::string what;  // "deleted", "over"
  std::string actor;
  Wall at{};
};

struct FailoverTold {  // what has become known of one that was found
  Failover failover;
};

struct CrontabPut {  // added or changed: the text, without its lines
  Crontab crontab;
};

struct CrontabRemoved {  // REQUIRES: its lines are gone
  std::uint32_t uid = 0;
};

struct CronLinePut {  // added, or its next job is there. REQUIRES: the job waits
  CronLine line;
};

struct CronLineRemoved {
  CronLineKey key;
};

struct EventTriggerPut {  // added or changed
  EventTrigger trigger;
};

struct EventTriggerRemoved {  // cleared, or deleted after its event
  EventTriggerId id;
};

using Change = std::variant<
    JobAdded, JobChanged, AttemptAdded, AttemptChanged, CheckpointAdded, CheckpointChanged,
    NodeChanged, EventAdded, WaitTold, WaitOver, EstimateMet, AssociationPut, AssociationRemoved,
    QosPut, QosRemoved, QosUsed, RequestAnswered, JobForgotten, PartitionChanged, PartitionRemoved,
    ReservationPut, ReservationRemoved, StepPut, JobRespecified, NodeNoted, FailoverTold,
    CrontabPut, CrontabRemoved, CronLinePut, CronLineRemoved, EventTriggerPut, EventTriggerRemoved>;

}  // namespace cox
