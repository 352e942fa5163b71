// A job: what was asked (JobSpec, never changed by the system) and what is true of it now (Job).
// A Job is the row of table cox.job, the controller's memory of it, and what clients are shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/shared.h"
#include "common/base/time.h"
#include "common/job/job_size.h"
#include "common/job/job_state.h"
#include "common/syntax/dependency.h"

namespace cox {

enum class JobForm : std::uint8_t {
  Gang,        // the command is started as every rank
  Batch,       // the script runs once, on the first node
  Allocation,  // nothing runs but the steps of whoever asked for it: salloc, srun
};

std::string_view name(JobForm form);  // "gang", as in the SQL enum and JSON

enum class CheckpointBy : std::uint8_t { AllRanks, Rank0 };
std::string_view name(CheckpointBy by);  // "all_ranks"

// --signal=[B:]SIG[@seconds]
struct SignalRequest {
  std::int32_t number = 0;  // 0: none asked
  std::int64_t seconds_before = 60;
  bool batch_only = false;  // B: the batch shell alone

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.seconds_before, self.batch_only);
  }
  bool operator==(const SignalRequest&) const = default;
};

// The checkpoint of another job from which a job begins: --resume-from JOB[:STEP]. The client sends
// job and step; admission fills in the rest.
struct ResumeSource {
  JobId job;               // 0: none, the job begins anew
  std::int64_t step = -1;  // -1: the newest
  AttemptNumber attempt;   // that saved it
  std::string identity;    // of that job
  std::int32_t ranks = 0;  // how many saved it

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.step, self.attempt, self.identity, self.ranks);
  }
  bool operator==(const ResumeSource&) const = default;
};

// Its own size is that of its first component.
struct JobSpec : JobSize {
  std::string name;
  JobForm form = JobForm::Gang;
  std::vector<std::string> command;  // gang: argv; batch: the script's own arguments
  std::string script_hash;           // content address of the script in cox.blob; empty for a gang
  std::string environment_hash;      // of the NAME=value\0... block

  std::string user_name;  // proven by the link, never claimed: the controller fills these three
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;

  std::string work_dir;
  std::string output;  // patterns as written; empty: the form's default
  std::string error;   // empty: joined with output
  std::string input;   // empty: /dev/null
  bool append_output = false;

  std::string qos;                // empty until admission: standard
  std::int64_t time_limit_s = 0;  // 0: none

  SignalRequest signal;
  std::int32_t checkpoint_signal = 0;  // 0: --signal's, else SIGCONT and SIGTERM as under Slurm
  CheckpointBy checkpoint_by = CheckpointBy::AllRanks;
  bool requeue = true;
  bool requeue_on_timeout = false;
  bool no_fence = false;  // all writes go through the attempt's checkpoint folder
  bool hold = false;

  std::string submit_host;

  std::string licences;         // licence.h
  std::string node_sizes;       // the numbers of nodes that will do (node_range.h)
  std::string switches;         // topology_wish.h
  std::string topology;         // the same
  std::int64_t time_min_s = 0;  // a time limit as short will do; 0: not said
  std::int64_t nice = 0;
  std::string dependency;  // dependency.h; empty: none
  Wall begin{};            // it is eligible from then; Wall{}: at once
  Wall deadline{};         // it has to end by then; Wall{}: whenever
  // It ends when what it depends on can never come true; admission settles it.
  std::optional<bool> kill_on_invalid_dependency{};
  std::string account;      // empty until admission: the user's default one, if there are any
  std::string reservation;  // an advance one, by name; empty: none asked for
  std::string array;        // "0-999:2%50", as written; empty: a job alone
  std::string comment{};
  std::string wckey{};
  std::string mail_type{};     // "BEGIN,END,FAIL"; empty: none
  std::string mail_user{};     // empty: whose it is
  std::string command_path{};  // of the script, where sbatch found it; empty: there was no file
  // Other options of Slurm, as they were given. Options of containers (container.h) and --gpu-bind
  // have an effect; the others are only shown.
  std::vector<std::string> stored_options{};
  std::vector<JobSize> components{};  // of a heterogeneous job, those behind the first
  ResumeSource resume_from{};         // until it has a checkpoint of its own

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.form, self.command, self.script_hash, self.environment_hash,
          self.user_name, self.uid, self.gid, self.work_dir, self.output, self.error, self.input,
          self.append_output, self.nodes, self.tasks, self.tasks_asked, self.tasks_per_node,
          self.cpus_per_task, self.cpus_per_task_asked, self.memory_mb_per_node, self.gpu_type,
          self.gpus_per_node, self.exclusive, self.partition, self.qos, self.nodelist,
          self.constraint, self.time_limit_s, self.signal, self.checkpoint_signal,
          self.checkpoint_by, self.requeue, self.requeue_on_timeout, self.no_fence, self.hold,
          self.submit_host, self.gpu_milli, self.gpu_choice, self.gres, self.licences,
          self.node_sizes, self.switches, self.topology, self.time_min_s, self.nice,
          self.dependency, self.begin, self.deadline, self.kill_on_invalid_dependency, self.account,
          self.reservation, self.array, self.exclude, self.memory_mb_per_cpu,
          self.memory_mb_per_gpu, self.gpus, self.gpus_per_task, self.cpus_per_gpu,
          self.tasks_per_gpu, self.whole_memory, self.comment, self.wckey, self.mail_type,
          self.mail_user, self.command_path, self.stored_options, self.components, self.resume_from,
          self.min_cpus, self.contiguous, self.exclusive_user, self.prefer);
  }
  bool operator==(const JobSpec&) const = default;
};

// How many components it has: 1 unless it is heterogeneous.
inline std::int64_t component_count(const JobSpec& spec) {
  return 1 + static_cast<std::int64_t>(spec.components.size());
}
// The job that one of its components would be by itself. REQUIRES: it has so many.
JobSpec component_spec(const JobSpec& spec, std::int64_t component);
// The name under which --overcommit is stored: "overcommit", or "overcommit=30" with --ntasks=30.
inline constexpr std::string_view overcommit_stored = "overcommit";
// --gpus-per-node, stored as it was written; its value follows.
inline constexpr std::string_view gpus_per_node_stored = "gpus-per-node=";
void forget_gpus_per_node(std::vector<std::string>& stored_options);
// Any of its components may be in this partition.
bool names_partition(const JobSpec& spec, std::string_view partition);
// Of all its components together.
std::int64_t nodes_of_all(const JobSpec& spec);
std::int64_t tasks_of_all(const JobSpec& spec);

// An allocation that its client leaves to others: salloc --no-shell.
bool is_without_shell(const JobSpec& spec);

// Why a pending job waits, by Slurm's reason codes.
enum class WaitReason : std::uint8_t {
  None,             // not judged yet
  Priority,         // others are before it
  Resources,        // the room it needs is in use
  ReqNodeNotAvail,  // a node it names, or all that would do, are drained or not responding
  JobHeldUser,
  Licenses,                  // of the cluster, that others have
  Dependency,                // jobs it waits for have not begun or ended as they must
  DependencyNeverSatisfied,  // and will not
  BeginTime,                 // it asked for a later one
  // A limit of its QOS, by what it limits: of all its jobs, or of those of one user.
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
  // The same of its association: of the account, those below it and all above.
  AssocGrpJobsLimit,
  AssocGrpNodeLimit,
  AssocGrpCpuLimit,
  AssocGrpMemLimit,
  AssocGrpGRES,
  AssocGrpLicense,
  AssocMaxJobsLimit,
  // Of what they have used lately, in minutes.
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
  JobArrayTaskLimit,  // as many tasks of its array run as may
  PartitionDown,
  PartitionInactive,
  PartitionNodeLimit,
  PartitionTimeLimit,
  Reservation,         // the advance one that it asked for has not begun
  ReservationDeleted,  // and never will
  JobHoldMaxRequeue,   // its launches failed everywhere, and the controller holds it
};
std::string_view name(WaitReason r);

struct Job {
  JobId id;
  Shared<JobSpec> spec;
  JobState state = JobState::Pending;
  AttemptNumber attempt;  // the newest; 0 before the first
  bool held = false;
  std::string request_id;  // the client's; a retry with the same one is the same job
  Wall submitted{};
  Wall eligible{};  // since when it may run, or from when; a requeued job keeps its place
  Wall started{};   // of the newest attempt that reached RUNNING; Wall{}: never
  Wall ended{};     // set exactly in a final state
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::int32_t restarts = 0;             // attempts that reached RUNNING, less one
  std::string why;                       // the reason of the last state change, for people
  std::vector<std::string> avoid_nodes;  // refused or lost it lately; forgotten once it has run
  std::vector<Dependency> dependencies;  // that are not met; it is not eligible while there are any
  JobId array_job;               // the id of its array, that of the array's first row; 0: none
  std::int64_t array_task = -1;  // which task it is; -1: none, or several
  std::string array_tasks;       // those it stands for while they do not differ: "4-999"
  std::int64_t array_limit = 0;  // so many may run, in the array's first row; 0: any number
  std::string held_why;          // the controller's; empty: a person holds it, or nobody
  // A UUID that no other job ever has, also if the database is restored from a backup and issues
  // the job's id again. Empty: the job was accepted before there were identities.
  std::string identity;
  // Of whoever shows the components of a heterogeneous job apart: this one alone. Nobody else has
  // it: it is in no row and on no wire.
  std::int64_t component = -1;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.spec, self.state, self.attempt, self.held, self.request_id, self.submitted,
          self.eligible, self.started, self.ended, self.exit_code, self.exit_signal, self.restarts,
          self.why, self.avoid_nodes, self.dependencies, self.array_job, self.array_task,
          self.array_tasks, self.array_limit, self.held_why, self.identity);
  }
  bool operator==(const Job&) const = default;
};

}  // namespace cox
