// The changes of a turn, as data. Each change carries the whole new row: Cluster::apply applies it
// to memory, Store::commit writes it to PostgreSQL. Only Reaction (controller/ledger/reaction.h)
// makes changes.
//
// A job's change has the state and the attempt from which it starts. The store updates the row only
// if it still has both (a guard), and apply CHECKs the same.
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
  Job job;              // the row after the change
  JobState state_left;  // the state before the change
  AttemptNumber attempt_left;
};

// A user has changed the job's request (JobSpec). The rest of the row stays the same.
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

struct PartitionChanged {  // added or changed
  Partition partition;
};

struct EventAdded {
  JobEvent event;
};

struct WaitPut {  // a pending reason of a job was added or changed
  JobWait wait;
};

struct WaitRemoved {  // a job waits no longer, so its pending reason is removed
  JobId id;
};

struct EstimateResolved {  // a job has started for which a start was estimated
  StartEstimate estimate;
};

// An account or user, or its usage; added or changed.
struct AssociationPut {
  Association association;
};

struct AssociationRemoved {  // REQUIRES: the association has no unfinished job
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

// A request of an administrator, by command or by SQL, and its result.
struct RequestAnswered {
  std::int64_t id = 0;  // the row of cox.request; 0: made by a command, and gets a new row
  std::string by;
  std::string command;
  bool refused = false;
  std::vector<std::string> lines;
};

// The job leaves the controller's memory (it ended min_job_age ago). Nothing changes in PostgreSQL.
struct JobForgotten {
  JobId id;
};

struct NodeEventAdded {  // a line is added to a node's history
  NodeEvent event;
};

struct StepPut {  // a step of srun in a live attempt was added or changed
  Step step;
};

struct PartitionRemoved {  // REQUIRES: the partition was made at run time, not by the configuration
  std::string name;
};

struct ReservationPut {  // added or changed
  AdvanceReservation reservation;
  // "created", "updated", "next occurrence": for the event in the reservation's history.
  std::string what;
};

struct ReservationRemoved {
  std::string name;
  std::string what;  // "deleted", "over"
  std::string actor;
  Wall at{};
};

struct FailoverChanged {  // a failover's row was changed: more is known of what the failover has
                          // lost
  Failover failover;
};

// A crontab was added, or its text changed. Its lines are changes of their own (CronLinePut).
struct CrontabPut {
  Crontab crontab;
};

struct CrontabRemoved {  // REQUIRES: the crontab has no lines left
  std::uint32_t uid = 0;
};

// A line of a crontab was added, or has its next job. REQUIRES: that job is PENDING.
struct CronLinePut {
  CronLine line;
};

struct CronLineRemoved {
  CronLineKey key;
};

struct EventTriggerPut {  // added or changed
  EventTrigger trigger;
};

struct EventTriggerRemoved {  // a user has cleared the trigger, or its event has happened
  EventTriggerId id;
};

using Change =
    std::variant<JobAdded, JobChanged, AttemptAdded, AttemptChanged, CheckpointAdded,
                 CheckpointChanged, NodeChanged, EventAdded, WaitPut, WaitRemoved, EstimateResolved,
                 AssociationPut, AssociationRemoved, QosPut, QosRemoved, QosUsed, RequestAnswered,
                 JobForgotten, PartitionChanged, PartitionRemoved, ReservationPut,
                 ReservationRemoved, StepPut, JobRespecified, NodeEventAdded, FailoverChanged,
                 CrontabPut, CrontabRemoved, CronLinePut, CronLineRemoved, EventTriggerPut,
                 EventTriggerRemoved>;

}  // namespace cox
