// What clients ask and are answered; see messages.h for who says what to whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

// ---- clients: questions ----------------------------------------------------------------------

struct SubmitJob {
  static constexpr int tag = 50;
  std::string request_id;  // random; a retry carries the same one
  JobSpec spec;
  std::string script;
  std::string environment;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.request_id, self.spec, self.script, self.environment);
  }
};

// Many jobs at once, all or none: one script and one environment for all of them. A retry with the
// same request id is answered with the same jobs.
struct SubmitJobs {
  static constexpr int tag = 61;
  std::string request_id;
  std::vector<JobSpec> specs;  // 1 to limits::jobs_per_request_max
  std::string script;
  std::string environment;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.request_id, self.specs, self.script, self.environment);
  }
};

// What a pass would decide of the job were it submitted now. It is judged as a submission is, and
// nothing of it stays.
struct TestJob {
  static constexpr int tag = 62;
  JobSpec spec;
  std::string script;
  std::string environment;
  bool rules_only = false;  // only applies the site's submission rules

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.spec, self.script, self.environment, self.rules_only);
  }
};

struct ListJobs {
  static constexpr int tag = 51;
  std::vector<JobId> ids;            // empty: all
  std::vector<JobState> states;      // empty: all that have not ended
  std::string user_name;             // empty: all
  std::string partition;             // empty: all
  JobId after;                       // the page begins behind this id
  std::vector<std::string> tasks{};  // of the arrays among the ids, in their order; "" or none: all
  bool brief = false;                // brief rows will do

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.states, self.user_name, self.partition, self.after, self.tasks,
          self.brief);
  }
};

struct ListNodes {
  static constexpr int tag = 52;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

struct ShowJob {
  static constexpr int tag = 53;
  JobId id;
  std::int64_t task = -1;  // of the array with this id; row_itself (job_row.h): the row alone
  // Several of it, and exactly those of one row of the queue; `task` is the first of them.
  std::string tasks{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.task, self.tasks);
  }
};

// Answered with a JobDetail when the job's change_count differs from the known one, or after
// wait_ms.
struct WaitJob {
  static constexpr int tag = 55;
  JobId id;
  std::int64_t known_change_count = -1;
  std::int64_t wait_ms = 0;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // likewise
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.known_change_count, self.wait_ms, self.task, self.tasks);
  }
};

enum class JobVerb : std::uint8_t {
  Cancel,
  Hold,
  Release,
  Requeue,
  Preempt,
  RequeueHold,  // and held as soon as it waits
  Suspend,      // it stands still until a person has it go on
  Resume,
  CancelCron,  // as Cancel; also disables the crontab line of the job
};
std::string_view name(JobVerb v);

struct ActOnJobs {
  static constexpr int tag = 56;
  JobVerb verb = JobVerb::Cancel;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.verb, self.ids, self.tasks);
  }
};

struct ActOnNodes {
  static constexpr int tag = 57;
  bool drain = true;  // false: resume
  std::vector<std::string> nodes;
  std::string reason;
  bool fence = false;     // instead: the caller confirms that nothing runs on these silent nodes
  bool set_down = false;  // with `drain`: their jobs are ended or requeued too
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.drain, self.nodes, self.reason, self.fence, self.set_down);
  }
};

struct ShowCluster {
  static constexpr int tag = 58;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

// The scheduler's whole input, as JSON, in parts: of one moment, that of the first part.
struct TakeSnapshot {
  static constexpr int tag = 63;
  std::int64_t snapshot = 0;  // 0: a new one, from its beginning
  std::int64_t offset = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.snapshot, self.offset);
  }
};

struct ListLicences {
  static constexpr int tag = 64;
  template <class Self, class Visit>
  static void fields(Self&, Visit&& visit) {
    visit();
  }
};

// Changes what may be changed of jobs that are there: the value of each name. Answered as an act.
struct UpdateJobs {
  static constexpr int tag = 69;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  std::vector<std::string> names;    // "ArrayTaskThrottle", in any case
  std::vector<std::string> values;   // in their order
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.names, self.values);
  }
};

struct Request {
  static constexpr int tag = 70;
  std::int64_t number = 0;  // the reply bears the same
  std::variant<SubmitJob, ListJobs, ListNodes, ShowJob, ShowHistory, WaitJob, ActOnJobs, ActOnNodes,
               ShowCluster, ReadLog, LocateLog, SubmitJobs, TestJob, TakeSnapshot, ListLicences,
               Administer, ListAssociations, UpdatePartitions, ActOnReservation, ListReservations,
               UpdateJobs, CreateStep, ListSteps, SignalJobs, ListAccounting, ListPriorities,
               ShowConfiguration, ShowStatistics, ReadScript, EndAllocation, SampleUsage,
               ListCheckpoints, RemoveCheckpoints, FollowEvents, ShowCrontab, UpdateCrontab,
               SetTrigger, ClearTriggers, ListTriggers, Reconfigure>
      body;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.body);
  }
};

// ---- clients: answers ------------------------------------------------------------------------

struct Submitted {
  static constexpr int tag = 80;
  JobId id;
  bool again = false;  // this request id had been accepted before
  std::string note;    // what its owner had better know; may be empty
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.again, self.note);
  }
};

struct JobView {
  Job job;
  WaitReason reason = WaitReason::None;
  std::string reason_detail;       // with numbers
  std::vector<std::string> nodes;  // of the live attempt, or the last one
  std::int64_t ran_ms = 0;         // of the live attempt; of the last one when ended
  std::int64_t left_ms = -1;       // until the time limit; -1: none or not running
  Wall expected_start{};           // Wall{}: unknown
  std::int64_t ranks = 0;          // on its nodes
  bool at_the_earliest = false;    // expected_start: others may draw it out
  std::string partition;           // where it runs or ran; of one that waits, all that it names
  double priority = 0;             // of one in line, inside its tier: the higher goes first
  // On those nodes, of all of them.
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::string system_comment{};  // what those nodes have to say, for people
  Progress progress{};           // of the live attempt; of the last one when ended
  std::string crontab_spec{};    // schedule of the job's crontab line; empty: no line
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.reason, self.reason_detail, self.nodes, self.ran_ms, self.left_ms,
          self.expected_start, self.ranks, self.at_the_earliest, self.partition, self.priority,
          self.cpus, self.memory_mb, self.gpus, self.system_comment, self.progress,
          self.crontab_spec);
  }
};

struct JobList {
  static constexpr int tag = 81;
  std::vector<JobView> jobs;  // by id
  bool more = false;
  std::vector<JobId> unknown;       // of the ids asked for
  std::vector<JobSummary> brief{};  // instead of `jobs`, where they were asked for
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.jobs, self.more, self.unknown, self.brief);
  }
};

struct NodeView {
  Node node;
  std::int64_t cpus_used = 0;
  std::int64_t memory_mb_used = 0;
  std::int64_t gpus_used = 0;
  std::vector<JobId> jobs;
  std::vector<std::string> partitions;
  std::int64_t silent_ms = 0;             // since it was heard
  std::vector<GresCount> gres_used;       // besides GPUs, as its jobs asked for it
  std::vector<std::string> reservations;  // advance ones that are on
  bool maint = false;                     // one of them is for maintenance
  std::vector<std::string> job_names{};   // of `jobs`, as people write them: "17_4"
  double failure_score = 0;               // what has failed there lately: node_health.h
  // The load in the newest heartbeat, and when that heartbeat arrived. None: the node does not
  // respond, or its worker does not report a load.
  std::optional<NodeLoad> load{};
  Wall load_at{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.cpus_used, self.memory_mb_used, self.gpus_used, self.jobs,
          self.partitions, self.silent_ms, self.gres_used, self.reservations, self.maint,
          self.job_names, self.failure_score, self.load, self.load_at);
  }
};

struct NodeList {
  static constexpr int tag = 82;
  std::vector<NodeView> nodes;
  std::vector<PartitionView> partitions;  // all, the default one first
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.nodes, self.partitions);
  }
};

// Tasks of an array that stand alike; those that have ended have done so alike.
struct TaskGroup {
  JobState state = JobState::Pending;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int64_t count = 0;
  std::string tasks;  // "0-3,7"; empty: nobody asked which
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.state, self.exit_code, self.exit_signal, self.count, self.tasks);
  }
};

// "4 COMPLETED, 1 FAILED", in the order of the states.
std::string task_counts_text(const std::vector<TaskGroup>& groups);

struct JobDetail {
  static constexpr int tag = 83;
  JobView view;
  std::vector<Attempt> attempts;        // oldest first
  std::vector<Checkpoint> checkpoints;  // oldest first
  std::vector<std::string> why;         // what it waits for: sentences with numbers
  std::int64_t change_count = 0;
  std::string job_checkpoint_dir;
  // Of an array that is asked for by its id: tasks that have not ended, and that ended otherwise
  // than well.
  std::int64_t tasks_left = 0;
  std::int64_t tasks_failed = 0;
  // Of an array of several tasks that is asked for by its id; the view is that of one of its rows.
  std::vector<TaskGroup> tasks;
  // Of one in line, what its priority is made of, as of now: "age 12", "nice -5".
  std::vector<std::string> priority_parts{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.view, self.attempts, self.checkpoints, self.why, self.change_count,
          self.job_checkpoint_dir, self.tasks_left, self.tasks_failed, self.tasks,
          self.priority_parts);
  }
};

struct Acted {
  static constexpr int tag = 85;
  struct Outcome {
    std::string what;  // "17" or "n1"
    std::string done;  // a sentence; empty when refused
    std::optional<Refusal> refused;
    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
      visit(self.what, self.done, self.refused);
    }
  };
  std::vector<Outcome> outcomes;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.outcomes);
  }
};

// How good the starts were that waiting jobs were told to expect: of each that started since, the
// first it was told.
struct EstimateView {
  std::int64_t count = 0;
  std::int64_t error_ms_median = 0;  // how far off, whichever way
  std::int64_t error_ms_p90 = 0;
  std::int64_t close_permille = 0;  // within a tenth of the wait, or within a minute
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.count, self.error_ms_median, self.error_ms_p90, self.close_permille);
  }
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
  std::string database;  // "ready", or since when it is away
  std::vector<std::string> qos;
  Wall now{};  // the controller's time of day
  EstimateView estimates;
  std::vector<Qos> tiers;         // those of `qos`, whole
  std::string billing_weights{};  // of the configuration: "cpu=1,gres/gpu=10"
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.version, self.term, self.nodes, self.nodes_responding, self.jobs_pending,
          self.jobs_live, self.database, self.qos, self.now, self.estimates, self.tiers,
          self.billing_weights);
  }
};

// Their ids follow each other.
struct SubmittedJobs {
  static constexpr int tag = 90;
  JobId first;
  std::int64_t count = 0;
  bool again = false;  // a retry: they were accepted before
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.first, self.count, self.again);
  }
};

struct JobTested {
  static constexpr int tag = 91;
  // The job as it would be accepted. Its nodes: where it would start, as far as that is settled.
  JobView view;
  std::vector<std::string> why;  // what it would wait for: sentences with numbers
  bool starts_now = false;
  std::vector<JobId> gives_way;        // jobs that would be stopped for it
  std::int64_t loss_unit_seconds = 0;  // what they would lose: GPU-seconds, or CPU-seconds
  bool at_the_latest = false;          // it would start by then: jobs that stop may be gone before
  std::vector<std::string> rules{};    // the effect of each rule, as text
  // Set if the rules refuse the job of a TestJob with rules_only. Other requests get Refused.
  std::optional<Refusal> refused{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.view, self.why, self.starts_now, self.gives_way, self.loss_unit_seconds,
          self.at_the_latest, self.rules, self.refused);
  }
};

struct SnapshotPart {
  static constexpr int tag = 92;
  std::int64_t snapshot = 0;
  std::string data;
  std::int64_t bytes = 0;  // of all parts
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.snapshot, self.data, self.bytes);
  }
};

struct LicenceView {
  std::string name;
  std::int64_t total = 0;
  std::int64_t used = 0;
  std::vector<JobId> jobs;               // that hold some
  std::vector<std::string> job_names{};  // as people write them: "17_4"
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.total, self.used, self.jobs, self.job_names);
  }
};

struct LicenceList {
  static constexpr int tag = 93;
  std::vector<LicenceView> licences;  // as the configuration lists them
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.licences);
  }
};

struct Refused {
  static constexpr int tag = 89;
  Refusal why;
  bool retry = false;  // nothing is wrong with the request: the same one may be answered later
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.why, self.retry);
  }
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
  Wall as_of{};  // PostgreSQL is away, and the answer is the state of then; Wall{}: it answers
  // With as_of: changes that the answer may show, and that are not committed yet: "job 17".
  std::vector<std::string> unrecorded{};
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.body, self.as_of, self.unrecorded);
  }
};

}  // namespace cox
