// The requests of clients and the replies. messages.h lists the sender and receiver of each
// message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/cluster/node.h"
#include "common/cluster/qos.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/job_event.h"
#include "common/messages/accounting_messages.h"
#include "common/messages/checkpoint_messages.h"
#include "common/messages/crontab_messages.h"
#include "common/messages/event_messages.h"
#include "common/messages/inquiry_messages.h"
#include "common/messages/job_summary.h"
#include "common/messages/log_messages.h"
#include "common/messages/partition_messages.h"
#include "common/messages/reconfigure_message.h"
#include "common/messages/reservation_messages.h"
#include "common/messages/sacct_messages.h"
#include "common/messages/step_messages.h"
#include "common/messages/trigger_messages.h"

namespace cox {

// ---- clients: requests -----------------------------------------------------------------------

struct SubmitJob {
  static constexpr int tag = 50;
  std::string request_id;  // random; a retry of the submission has the same one
  JobSpec spec;
  std::string script;
  std::string environment;

  COX_FIELDS(request_id, spec, script, environment);
};

// Submits many jobs with one request: all are accepted, or none. They share one script and one
// environment. A retry with the same request id submits nothing and gets the ids of these jobs.
struct SubmitJobs {
  static constexpr int tag = 61;
  std::string request_id;
  std::vector<JobSpec> specs;  // 1 to limits::jobs_per_request_max
  std::string script;
  std::string environment;

  COX_FIELDS(request_id, specs, script, environment);
};

// Asks what the scheduler would decide about a job if it were submitted now. The job is validated
// like a submission, but not kept.
struct TestJob {
  static constexpr int tag = 62;
  JobSpec spec;
  std::string script;
  std::string environment;
  bool rules_only = false;  // only apply the [[submit_rule]] rules of the site

  COX_FIELDS(spec, script, environment, rules_only);
};

struct ListJobs {
  static constexpr int tag = 51;
  std::vector<JobId> ids;        // empty: all
  std::vector<JobState> states;  // only jobs in these states; empty: all jobs that have not ended
  std::string user_name;         // empty: all
  std::string partition;         // empty: all
  JobId after;                   // last id of the page before; 0: the first page
  // For each array in `ids`, in their order: the tasks that are meant ("1-3,7"). "", or an empty
  // list: all tasks.
  std::vector<std::string> tasks{};
  bool brief = false;  // accepts JobSummary rows, which are shorter than JobViews

  COX_FIELDS(ids, states, user_name, partition, after, tasks, brief);
};

struct ListNodes {
  static constexpr int tag = 52;
  COX_FIELDS();
};

struct ShowJob {
  static constexpr int tag = 53;
  JobId id;
  // Task of the array `id`. -1: the job, or the whole array. row_itself: only the row with this id
  // (job_row.h).
  std::int64_t task = -1;
  // All tasks of one row of the queue, as text; `task` is the first of them. Empty: only `task`.
  std::string tasks{};
  COX_FIELDS(id, task, tasks);
};

// Waits until a job changes. The reply is a JobDetail, sent when its change_count differs from
// known_change_count, or after wait_ms.
struct WaitJob {
  static constexpr int tag = 55;
  JobId id;
  std::int64_t known_change_count = -1;
  std::int64_t wait_ms = 0;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // as in ShowJob
  COX_FIELDS(id, known_change_count, wait_ms, task, tasks);
};

enum class JobVerb : std::uint8_t {
  Cancel,
  Hold,
  Release,
  Requeue,
  Preempt,
  RequeueHold,  // requeues the job and holds it
  Suspend,      // the job stays suspended until a user resumes it
  Resume,
  CancelCron,   // cancels the job and disables its crontab line
  BeginAnew,    // releases the job and sets its checkpoints aside
  RequeueFrom,  // requeues the job and sets aside its checkpoints above ActOnJobs::step
};
std::string_view name(JobVerb v);

struct ActOnJobs {
  static constexpr int tag = 56;
  JobVerb verb = JobVerb::Cancel;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  std::int64_t step = -1;            // for RequeueFrom: of the checkpoint to resume from
  COX_FIELDS(verb, ids, tasks, step);
};

struct ActOnNodes {
  static constexpr int tag = 57;
  bool drain = true;  // false: resume
  std::vector<std::string> nodes;
  std::string reason;
  // Instead of draining or resuming: the caller confirms that nothing runs on these silent nodes.
  bool fence = false;
  bool set_down = false;  // with `drain`: also ends the jobs there, or requeues them
  COX_FIELDS(drain, nodes, reason, fence, set_down);
};

struct ShowCluster {
  static constexpr int tag = 58;
  COX_FIELDS();
};

// Returns all input of the scheduler as JSON, in parts. All parts are from the moment of the first
// request.
struct TakeSnapshot {
  static constexpr int tag = 63;
  std::int64_t snapshot = 0;  // number in the reply to the first request; 0: begin a new snapshot
  std::int64_t offset = 0;
  COX_FIELDS(snapshot, offset);
};

struct ListLicences {
  static constexpr int tag = 64;
  COX_FIELDS();
};

// Changes fields of jobs: each field in `names` gets its value in `values`. The reply is Acted.
struct UpdateJobs {
  static constexpr int tag = 69;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  std::vector<std::string> names;    // Slurm's names of fields in any case: "ArrayTaskThrottle"
  std::vector<std::string> values;   // one for each name, in their order
  COX_FIELDS(ids, tasks, names, values);
};

struct Request {
  static constexpr int tag = 70;
  std::int64_t number = 0;  // chosen by the client; the reply has the same number
  std::variant<SubmitJob, ListJobs, ListNodes, ShowJob, ShowHistory, WaitJob, ActOnJobs, ActOnNodes,
               ShowCluster, ReadLog, LocateLog, SubmitJobs, TestJob, TakeSnapshot, ListLicences,
               Administer, ListAssociations, UpdatePartitions, ActOnReservation, ListReservations,
               UpdateJobs, CreateStep, ListSteps, SignalJobs, ListAccounting, ListPriorities,
               ShowConfiguration, ShowStatistics, ReadScript, EndAllocation, SampleUsage,
               ListCheckpoints, RemoveCheckpoints, FollowEvents, ShowCrontab, UpdateCrontab,
               SetTrigger, ClearTriggers, ListTriggers, Reconfigure, VerifyCheckpoints>
      body;
  COX_FIELDS(number, body);
};

// ---- clients: replies ------------------------------------------------------------------------

struct Submitted {
  static constexpr int tag = 80;
  JobId id;
  bool again = false;  // this was a retry: the job was accepted before
  std::string note;    // a hint to the user; may be empty
  COX_FIELDS(id, again, note);
};

struct JobView {
  Job job;
  WaitReason reason = WaitReason::None;
  std::string reason_detail;       // with numbers
  std::vector<std::string> nodes;  // nodes of the running attempt, or of the last one
  std::int64_t ran_ms = 0;    // run time of the running attempt, or of the last one of an ended job
  std::int64_t left_ms = -1;  // time to the time limit; -1: no limit, or not running
  Wall expected_start{};      // Wall{}: unknown
  std::int64_t ranks = 0;     // number of ranks on all nodes of the job
  bool at_the_earliest = false;  // expected_start is a lower bound, because other jobs may delay it
  // Where the job runs or ran; while it is pending, all partitions that it names.
  std::string partition;
  double priority = 0;  // of a queued job: order within its tier (QOS); the highest starts first
  // Resources on all nodes of the job:
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  // For people: messages from the job's nodes; for a pending job, from which checkpoint of another
  // job it begins.
  std::string system_comment{};
  Progress progress{};  // reported by the running attempt, or by the last one of an ended job
  std::string crontab_spec{};  // five fields of the crontab line that made the job; empty: none did
  COX_FIELDS(job, reason, reason_detail, nodes, ran_ms, left_ms, expected_start, ranks,
             at_the_earliest, partition, priority, cpus, memory_mb, gpus, system_comment, progress,
             crontab_spec);
};

struct JobList {
  static constexpr int tag = 81;
  std::vector<JobView> jobs;  // by id
  bool more = false;
  std::vector<JobId> unknown;       // ids of the request for which there is no job
  std::vector<JobSummary> brief{};  // replaces `jobs` if the request has `brief`
  COX_FIELDS(jobs, more, unknown, brief);
};

struct NodeView {
  Node node;
  std::int64_t cpus_used = 0;
  std::int64_t memory_mb_used = 0;
  std::int64_t gpus_used = 0;
  std::vector<JobId> jobs;
  std::vector<std::string> partitions;
  std::int64_t silent_ms = 0;             // since its last message; -1: none to this leader
  std::vector<GresCount> gres_used;       // GRES in use, without GPUs, as the jobs requested them
  std::vector<std::string> reservations;  // names of the active advance reservations of the node
  bool maint = false;                     // whether one of `reservations` is for maintenance
  std::vector<std::string> job_names{};   // ids of `jobs` as people write them: "17_4"
  // Number of recent failures, each counting less with age (node_health.h).
  double failure_score = 0;
  // The load that the newest heartbeat reported; load_at is when it arrived. None: the node does
  // not respond, or its worker reports no load.
  std::optional<NodeLoad> load{};
  Wall load_at{};
  // Where a second worker that says it is this node runs; it is not served. Empty: there is none.
  std::string second_worker{};
  // How many more good heartbeats the node, which responds again, must send before it gets work;
  // 0: it does not wait for that.
  std::int64_t beats_to_return = 0;
  COX_FIELDS(node, cpus_used, memory_mb_used, gpus_used, jobs, partitions, silent_ms, gres_used,
             reservations, maint, job_names, failure_score, load, load_at, second_worker,
             beats_to_return);
};

struct NodeList {
  static constexpr int tag = 82;
  std::vector<NodeView> nodes;
  std::vector<PartitionView> partitions;  // the default partition first
  COX_FIELDS(nodes, partitions);
};

// The number of an array's tasks that have the same state, and the same exit if they have ended.
struct TaskGroup {
  JobState state = JobState::Pending;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int64_t count = 0;
  std::string tasks;  // the tasks, "0-3,7"; empty: the request did not ask for them
  COX_FIELDS(state, exit_code, exit_signal, count, tasks);
};

// Returns the numbers of tasks as text, "4 COMPLETED, 1 FAILED", in the order of the enum JobState.
std::string task_counts_text(const std::vector<TaskGroup>& groups);

struct JobDetail {
  static constexpr int tag = 83;
  JobView view;
  std::vector<Attempt> attempts;        // oldest first
  std::vector<Checkpoint> checkpoints;  // oldest first
  std::vector<std::string> why;         // why it is pending: sentences with numbers
  std::int64_t change_count = 0;
  std::string job_checkpoint_dir;
  // If the request has the id of an array: how many tasks have not ended, and how many have ended
  // but not COMPLETED.
  std::int64_t tasks_left = 0;
  std::int64_t tasks_failed = 0;
  // If the request has the id of an array: its tasks by state. `view` is then one of its rows; once
  // all tasks have ended, view.job.ended is the end of the last one.
  std::vector<TaskGroup> tasks;
  // The parts of a queued job's present priority, as text: "age 12", "nice -5".
  std::vector<std::string> priority_parts{};
  // After how many seconds in the queue a job goes first (schedule/queue/order.h); 0: never.
  std::int64_t first_after_s = 0;
  COX_FIELDS(view, attempts, checkpoints, why, change_count, job_checkpoint_dir, tasks_left,
             tasks_failed, tasks, priority_parts, first_after_s);
};

struct Acted {
  static constexpr int tag = 85;
  struct Outcome {
    std::string what;  // "17" or "n1"
    std::string done;  // what was done, a sentence; empty: the action was refused
    std::optional<Refusal> refused;
    COX_FIELDS(what, done, refused);
  };
  std::vector<Outcome> outcomes;
  COX_FIELDS(outcomes);
};

// How accurate expected starts are: for jobs that have started, the first expected start of each is
// compared with its true start.
struct EstimateView {
  std::int64_t count = 0;
  std::int64_t error_ms_median = 0;  // absolute difference
  std::int64_t error_ms_p90 = 0;
  // Share of estimates, in thousandths, that were wrong by at most a minute, or by a tenth of the
  // wait if that is longer.
  std::int64_t close_permille = 0;
  COX_FIELDS(count, error_ms_median, error_ms_p90, close_permille);
};

struct ClusterView {
  static constexpr int tag = 86;
  std::string name;
  std::string version;
  Term term;
  std::int64_t nodes = 0;
  std::int64_t nodes_responding = 0;
  std::int64_t jobs_pending = 0;
  std::int64_t jobs_live = 0;
  // "ready", or since when PostgreSQL is away or refuses writes, or when it has refused a request,
  // and why; or what the database may have lost, and that no job starts.
  std::string database;
  std::vector<std::string> qos;
  Wall now{};  // time of day on the controller's machine
  EstimateView estimates;
  std::vector<Qos> tiers;         // the definitions of the QOS in `qos`
  std::string billing_weights{};  // weights in the configuration: "cpu=1,gres/gpu=10"
  // Why nothing is deleted for its age: "has stepped ..."; empty: the time of day is believed.
  std::string clock_doubt{};

  COX_FIELDS(name, version, term, nodes, nodes_responding, jobs_pending, jobs_live, database, qos,
             now, estimates, tiers, billing_weights, clock_doubt);
};

// The reply to SubmitJobs. The ids of the jobs are consecutive, beginning with `first`.
struct SubmittedJobs {
  static constexpr int tag = 90;
  JobId first;
  std::int64_t count = 0;
  bool again = false;  // this was a retry: the jobs were accepted before
  COX_FIELDS(first, count, again);
};

struct JobTested {
  static constexpr int tag = 91;
  // The job as it would be accepted, with the nodes on which it would start, if that is decided.
  JobView view;
  std::vector<std::string> why;  // why it would be pending: sentences with numbers
  bool starts_now = false;
  std::vector<JobId> preempted_jobs;  // ids of the jobs that it would preempt
  // Unsaved work that the preempted jobs would lose, in GPU-seconds, or in CPU-seconds without
  // GPUs.
  std::int64_t loss_unit_seconds = 0;
  // expected_start is an upper bound, because the preempted jobs may stop sooner.
  bool at_the_latest = false;
  std::vector<std::string> rules{};  // what each submit rule did, as text
  // For TestJob with rules_only: why the rules refuse the job; nothing if they do not. Without
  // rules_only the reply is Refused.
  std::optional<Refusal> refused{};
  COX_FIELDS(view, why, starts_now, preempted_jobs, loss_unit_seconds, at_the_latest, rules,
             refused);
};

struct SnapshotPart {
  static constexpr int tag = 92;
  std::int64_t snapshot = 0;
  std::string data;
  std::int64_t bytes = 0;  // size of the whole snapshot
  COX_FIELDS(snapshot, data, bytes);
};

struct LicenceView {
  std::string name;
  std::int64_t total = 0;
  std::int64_t used = 0;
  std::vector<JobId> jobs;               // jobs that hold the licence
  std::vector<std::string> job_names{};  // ids of `jobs` as people write them: "17_4"
  COX_FIELDS(name, total, used, jobs, job_names);
};

struct LicenceList {
  static constexpr int tag = 93;
  std::vector<LicenceView> licences;  // in the order of the cluster's settings
  COX_FIELDS(licences);
};

struct Refused {
  static constexpr int tag = 89;
  Refusal why;
  bool retry = false;  // the request is valid, and may succeed if it is sent again
  COX_FIELDS(why, retry);
};

struct Reply {
  static constexpr int tag = 71;
  std::int64_t number = 0;
  std::variant<Submitted, JobList, NodeList, JobDetail, HistoryPage, Acted, ClusterView, LogPlace,
               LogChunk, Refused, SubmittedJobs, JobTested, SnapshotPart, LicenceList, Administered,
               AssociationList, ReservationList, StepShown, StepList, AccountingPage, PriorityList,
               Configuration, Statistics, Script, UsageSample, CheckpointList, EventPage,
               CrontabShown, CrontabUpdated, TriggerList>
      body;
  // Wall{}: normal. Otherwise PostgreSQL is unavailable, and the reply is from memory, as of this
  // time.
  Wall as_of{};
  // Only with as_of: what the reply may contain although it is not committed yet, such as "job 17".
  std::vector<std::string> unrecorded{};
  COX_FIELDS(number, body, as_of, unrecorded);
};

}  // namespace cox
