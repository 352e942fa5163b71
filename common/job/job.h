// A job: the request (JobSpec, never changed by the system) and its present state (Job). A Job is
// the row of table cox.job, the controller's copy in memory, and a reply to clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/mostly_empty.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/base/uuid_text.h"
#include "common/job/job_size.h"
#include "common/job/job_state.h"
#include "common/job/job_terms.h"
#include "common/syntax/dependency.h"

namespace cox {

enum class JobForm : std::uint8_t {
  Gang,        // the command starts once for each rank
  Batch,       // the script starts once, on the first node
  Allocation,  // starts nothing itself; the user starts steps in it (salloc, srun)
};

std::string_view name(JobForm form);  // "gang", as in the SQL enum and JSON

enum class CheckpointBy : std::uint8_t { AllRanks, Rank0 };
std::string_view name(CheckpointBy by);  // "all_ranks"

// --signal=[B:]SIG[@seconds]
struct SignalRequest {
  std::int32_t number = 0;  // 0: none asked
  std::int64_t seconds_before = 60;
  bool batch_only = false;  // "B:": only the batch shell gets the signal

  COX_FIELDS(number, seconds_before, batch_only);
  bool operator==(const SignalRequest&) const = default;
};

// The checkpoint of another job from which a job begins (--resume-from JOB[:STEP]). The client
// sends job and step; admission fills in the rest.
struct ResumeSource {
  JobId job;               // the other job; 0: the job starts from the beginning
  std::int64_t step = -1;  // -1: the newest
  AttemptNumber attempt;   // the attempt that saved the checkpoint
  std::string identity;    // identity of the job that saved the checkpoint (Job::identity)
  std::int32_t ranks = 0;  // number of ranks that saved the checkpoint

  COX_FIELDS(job, step, attempt, identity, ranks);
  bool operator==(const ResumeSource&) const = default;
};

// The fields that decide whether a job can ever run: JobSize has the request of its first
// component, and the fields here are common to all components. Jobs in which these fields are
// equal, apart from gpu_choice and exclusive_user, have the same shape (controller/feed/shape.h).
// The COX_FIELDS of JobSpec lists these fields; the list inherited here is that of JobSize.
struct JobNeeds : JobSize {
  using Base = JobSize;

  std::string licences;    // licence.h
  std::string node_sizes;  // numbers of nodes that the job accepts (node_range.h)
  std::string switches;    // topology_wish.h
  std::string topology;    // topology_wish.h

  auto operator<=>(const JobNeeds&) const = default;
};

struct JobSpec : JobNeeds {
  using Base = JobNeeds;

  std::string name;
  JobForm form = JobForm::Gang;
  // Gang: the command with its arguments; batch: arguments of the script.
  std::vector<std::string> command;
  std::string script_hash;       // key of the script's text in cox.blob; empty for a gang
  std::string environment_hash;  // key of the block of NAME=value\0 entries in cox.blob

  // The user who submitted the job: user_name, uid and gid. The controller takes them from the
  // connection, which proves them.
  std::string user_name;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  std::string work_dir;
  std::string output;  // file name pattern as written; empty: the default of the form
  std::string error;   // pattern of the error file; empty: errors go to `output`
  std::string input;   // empty: /dev/null
  bool append_output = false;

  std::string qos;                // if empty, admission sets the default QOS
  std::int64_t time_limit_s = 0;  // 0: none

  SignalRequest signal;
  // Signal that asks the ranks to save. 0: that of --signal, or else SIGCONT and SIGTERM, as in
  // Slurm.
  std::int32_t checkpoint_signal = 0;
  CheckpointBy checkpoint_by = CheckpointBy::AllRanks;
  bool requeue = true;
  bool requeue_on_timeout = false;
  // The job promises that it writes only into the checkpoint folder of its attempt. So it may start
  // elsewhere although an attempt on a silent node may still run.
  bool no_fence = false;
  bool hold = false;

  std::string submit_host;

  std::int64_t time_min_s = 0;  // the job also accepts a limit down to this one; 0: not given
  std::int64_t nice = 0;
  std::string dependency;  // dependency.h; empty: none
  Wall begin{};            // the job is not eligible before this time; Wall{}: at once
  Wall deadline{};         // time by which the job must end; Wall{}: none
  // Whether the job is cancelled once its dependencies can never be met. Without a value, admission
  // sets that of the setting kill_invalid_depend.
  std::optional<bool> kill_on_invalid_dependency{};
  std::string account;      // if empty, admission sets the user's default account, if there is one
  std::string reservation;  // name of an advance reservation; empty: none
  std::string array;        // "0-999:2%50", as written; empty: no array
  std::string comment{};
  std::string wckey{};
  std::string mail_type{};  // "BEGIN,END,FAIL"; empty: none
  std::string mail_user{};  // address for mails; empty: that of the job's owner
  // Path of the script, as sbatch found it; empty: the script had no file.
  std::string command_path{};
  // Other options of Slurm, as given: "NAME=VALUE" or "NAME". Those of containers (container.h) and
  // --gpu-bind have an effect; all others are only shown.
  std::vector<std::string> stored_options{};
  std::vector<JobSize> components{};  // components of a heterogeneous job, without the first
  ResumeSource resume_from{};  // where the job starts from until it has a checkpoint of its own

  COX_FIELDS(name, form, command, script_hash, environment_hash, user_name, uid, gid, work_dir,
             output, error, input, append_output, nodes, tasks, tasks_asked, tasks_per_node,
             cpus_per_task, cpus_per_task_asked, memory_mb_per_node, gpu_type, gpus_per_node,
             exclusive, partition, qos, nodelist, constraint, time_limit_s, signal,
             checkpoint_signal, checkpoint_by, requeue, requeue_on_timeout, no_fence, hold,
             submit_host, gpu_milli, gpu_choice, gres, licences, node_sizes, switches, topology,
             time_min_s, nice, dependency, begin, deadline, kill_on_invalid_dependency, account,
             reservation, array, exclude, memory_mb_per_cpu, memory_mb_per_gpu, gpus, gpus_per_task,
             cpus_per_gpu, tasks_per_gpu, whole_memory, comment, wckey, mail_type, mail_user,
             command_path, stored_options, components, resume_from, min_cpus, contiguous,
             exclusive_user, prefer);
  bool operator==(const JobSpec&) const = default;
};

// Returns the number of components: 1 unless the job is heterogeneous.
inline std::int64_t component_count(const JobSpec& spec) {
  return 1 + static_cast<std::int64_t>(spec.components.size());
}
// Returns the specification of one component, as if it were a job by itself. REQUIRES: the
// component exists.
JobSpec component_spec(const JobSpec& spec, std::int64_t component);
// The entry of JobSpec::stored_options for --overcommit: "overcommit", or with --ntasks=30
// "overcommit=30".
inline constexpr std::string_view overcommit_stored = "overcommit";
// The beginning of the entry of JobSpec::stored_options for --gpus-per-node. The value follows as
// it was written.
inline constexpr std::string_view gpus_per_node_stored = "gpus-per-node=";
void forget_gpus_per_node(std::vector<std::string>& stored_options);
// The entry of JobSpec::stored_options for a --resume-from that names no step. Each start of the
// job takes the newest checkpoint that the other job has then. JobSpec::resume_from has the one of
// the last start; before the first start, the newest at the submission.
inline constexpr std::string_view resume_newest_stored = "resume-from-newest";
bool resumes_from_newest(const JobSpec& spec);
// Returns the latest time at which the job can start and still end by its deadline. REQUIRES: it
// has a deadline.
Wall latest_start(const JobSpec& spec);
// These return the number of nodes or tasks of all components together.
std::int64_t nodes_of_all(const JobSpec& spec);
std::int64_t tasks_of_all(const JobSpec& spec);

// Returns whether the job is an allocation of salloc --no-shell: its client ends, and other
// programs start steps in it.
bool is_without_shell(const JobSpec& spec);

// Parses all texts of a specification. A text that cannot be parsed is listed in
// JobTerms::unreadable and has no effect: a newer program may have sent it, or an older one stored
// it.
JobTerms parse_terms(const JobSpec& spec);

// A specification with its parsed texts (job_terms.h). Code that changes a text must set the parsed
// value in `terms` too.
struct ParsedSpec : JobSpec {
  Shared<JobTerms> terms;

  ParsedSpec() = default;
  ParsedSpec(JobSpec spec);                        // parses
  ParsedSpec(JobSpec spec, Shared<JobTerms> its);  // REQUIRES: `its` are the parsed texts of `spec`
  // Parses all texts again. Called after texts were changed.
  void parse();
};

ParsedSpec component_spec(const ParsedSpec& spec, std::int64_t component);
// Returns whether any component of the job names this partition.
bool names_partition(const ParsedSpec& spec, std::string_view partition);
// Replaces the list of partitions of the job.
void set_partitions(ParsedSpec& spec, std::vector<std::string> names);
void drop_licences(ParsedSpec& spec);

// Why a pending job waits, by Slurm's reason codes.
enum class WaitReason : std::uint8_t {
  None,       // not evaluated yet
  Priority,   // jobs of higher priority are queued before it
  Resources,  // the resources that it needs are in use
  // The nodes that qualify, or a node that it names, are drained or not responding.
  ReqNodeNotAvail,
  JobHeldUser,
  Licenses,                  // other jobs hold licences that it needs
  Dependency,                // a dependency is not met yet
  DependencyNeverSatisfied,  // a dependency can never be met
  BeginTime,                 // its begin time is in the future
  // Limits of the job's QOS, one value for each resource. QOSGrp...: for all jobs of the QOS
  // together. QOSMax...PerUser...: for the jobs of one user.
  QOSGrpJobsLimit,
  QOSGrpNodeLimit,
  QOSGrpCpuLimit,
  QOSGrpMemLimit,
  QOSGrpGRES,
  QOSGrpLicense,
  QOSMaxJobsPerUserLimit,
  QOSMaxNodePerUserLimit,
  QOSMaxCpuPerUserLimit,
  QOSMaxMemoryPerUser,
  QOSMaxGRESPerUser,
  QOSMaxLicensePerUser,
  // The same limits of the job's association (a user in an account) and of the accounts above it.
  AssocGrpJobsLimit,
  AssocGrpNodeLimit,
  AssocGrpCpuLimit,
  AssocGrpMemLimit,
  AssocGrpGRES,
  AssocGrpLicense,
  AssocMaxJobsLimit,
  // Limits of decayed usage, in minutes of a resource: GrpTRESMins and GrpWall.
  AssocGrpCPUMinutesLimit,
  AssocGrpMemMinutes,
  AssocGrpNodeMinutes,
  AssocGrpGRESMinutes,
  AssocGrpWallLimit,
  QOSGrpCPUMinutesLimit,
  QOSGrpMemoryMinutes,
  QOSGrpNodeMinutes,
  QOSGrpGRESMinutes,
  QOSGrpWallLimit,
  JobArrayTaskLimit,  // as many tasks of its array run as --array=...%N allows
  PartitionDown,
  PartitionInactive,
  PartitionNodeLimit,
  PartitionTimeLimit,
  Reservation,         // its advance reservation has not begun
  ReservationDeleted,  // its advance reservation was deleted
  JobHoldMaxRequeue,   // the controller holds it, such as after too many failed attempts (held_why)
};
std::string_view name(WaitReason r);

// Members that only few jobs have are MostlyEmpty, because memory may hold a million jobs.
struct Job {
  JobId id;
  Shared<ParsedSpec> spec;
  JobState state = JobState::Pending;
  bool held = false;
  AttemptNumber attempt;  // the newest attempt; 0: no attempt yet
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int32_t restarts = 0;  // number of attempts that reached RUNNING, minus 1
  // Number of the task; -1: this row is no task, or stands for several.
  std::int32_t array_task = -1;
  // In the array's first row: how many tasks may run at once; 0: any number.
  std::int32_t array_limit = 0;
  // The component that this copy shows. Clients that list the components of a heterogeneous job
  // separately set it; it is neither stored nor sent.
  std::int32_t component = -1;
  static constexpr std::size_t unlisted_members = 1;  // component
  // Chosen by the client; a retry with the same id submits no second job.
  MostlyEmpty<std::string> request_id;
  Wall submitted{};
  // Since when, or from when, it may run. A requeued job keeps the time, and so its queue position.
  Wall eligible{};
  Wall started{};  // when its newest attempt in state RUNNING began to run; Wall{}: never
  Wall ended{};    // set if and only if the state is final
  MostlyEmpty<std::string> why;  // why the state changed last, for people
  // Nodes that recently refused the job or were lost with it. Cleared once the job has run.
  MostlyEmpty<std::vector<std::string>> avoid_nodes;
  // Dependencies that are not met yet; the job is eligible only when the list is empty.
  MostlyEmpty<std::vector<Dependency>> dependencies;
  // Id of its array, which is also the id of the array's first row; 0: the job is in no array.
  JobId array_job;
  // Tasks that this row stands for, such as "4-999". A task gets a row of its own when it starts or
  // is changed.
  ArrayTasks array_tasks;
  // Why the controller holds it; empty: a user holds it, or it is not held.
  MostlyEmpty<std::string> held_why;
  // A UUID that no other job ever has, even if the database is restored from a backup and issues
  // the job's id again. Empty: the job was accepted by a version without identities.
  UuidText identity;

  COX_FIELDS(id, spec, state, attempt, held, request_id, submitted, eligible, started, ended,
             exit_code, exit_signal, restarts, why, avoid_nodes, dependencies, array_job,
             array_task, array_tasks, array_limit, held_why, identity);
  bool operator==(const Job&) const = default;
};

}  // namespace cox
