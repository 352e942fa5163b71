// The settings of a cluster and of one worker; etc/coxswain.toml explains them. Plain data:
// common/io/config/config_file.h reads it, and pure code gets it as a parameter.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/limits.h"
#include "common/base/time.h"
#include "common/base/time_zone.h"
#include "common/cluster/gpu_islands.h"
#include "common/cluster/qos.h"
#include "common/cluster/scheduling_settings.h"
#include "common/cluster/topology.h"
#include "common/job/resources.h"
#include "common/job/site_programs.h"
#include "common/job/submit_rule.h"
#include "common/resources/tres.h"
#include "common/syntax/week_hours.h"

namespace cox {

// How the usage of accounts is counted and decays.
struct UsageSettings {
  Milliseconds half_life{604'800'000};  // Slurm's PriorityDecayHalfLife; 0: usage never decays
  Milliseconds period{300'000};         // how often it is computed; Slurm's PriorityCalcPeriod
  std::vector<BillingWeight> weights = {{{Tres::Cpus, "", "", 0}, 1'000},
                                        {{Tres::GpuMilli, "", "", 0}, 10'000}};
};

// A group of the controller's machine with its members, as the system reported it.
struct AllowedGroup {
  std::string name;
  std::uint32_t gid = 0;
  // Members by /etc/group or the directory; a user whose primary group this is is not among them.
  std::vector<std::string> members;
};

// Groups by name, as the system reported them when they were last looked up. No value: the group
// does not exist, or the system could not answer.
using HostGroups = std::map<std::string, std::optional<AllowedGroup>>;

struct PartitionConfig {
  std::string name;
  std::vector<std::string> nodes;  // names of its nodes; empty: all nodes
  bool is_default = false;
  std::int64_t time_limit_max_s = 0;      // 0: none
  std::int64_t time_limit_default_s = 0;  // 0: none
  // MiB for each CPU of jobs that request no memory; 0: such a job counts as using none.
  std::int64_t memory_mb_per_cpu_default = 0;
  std::int64_t priority = 0;  // Slurm's PriorityJobFactor
  // Which of the GPU types that a job accepts it gets here.
  std::optional<Preference> gpu_choice = {};
  // Jobs in partitions of a higher tier are considered first; Slurm's PriorityTier.
  std::int64_t priority_tier = 1;
  std::int64_t min_nodes = 0;               // fewest nodes that a job may request; 0: any
  std::int64_t max_nodes = 0;               // most nodes that a job may request; 0: any
  std::int64_t max_memory_mb_per_node = 0;  // most that a job may request; 0: any
  // Only jobs charged to these accounts may use it; empty: all.
  std::vector<std::string> allow_accounts = {};
  std::vector<std::string> deny_accounts = {};
  std::vector<std::string> allow_qos = {};
  std::vector<std::string> deny_qos = {};
  std::vector<AllowedGroup> allow_groups = {};
  std::string qos = {};  // QOS whose limits apply besides those of the job's QOS
  std::optional<PreemptMode> preempt_mode = {};  // replaces the preemption mode of its jobs' QOS
  bool exclusive = false;                        // no two jobs share a node
  // Name of opening hours in [hours], outside of which no job starts; empty: always open.
  std::string hours = {};
  std::string tres_billing_weights = {};  // in Slurm's form; empty: UsageSettings::weights apply
  std::vector<BillingWeight> billing_weights = {};  // the same, parsed
};

// The mail program, if this file exists and the setting mail_program is empty.
inline constexpr const char* usual_sendmail = "/usr/sbin/sendmail";

struct ControllerConfig {
  std::string cluster_name = "coxswain";
  std::string database;         // libpq connection string
  std::string listen_local;     // ipc:// endpoint for clients and workers of this machine
  std::string listen_tcp;       // tcp:// endpoint with CURVE; empty: none
  std::string key_dir;          // controller.key, worker-NAME.pub, client*.pub
  std::string checkpoint_root;  // folder of checkpoints on storage that all nodes share
  std::vector<PartitionConfig> partitions;
  Milliseconds leader_lease{3'000};  // after this time without renewal a standby takes over
  Milliseconds heartbeat{2'000};
  Milliseconds node_timeout{15'000};
  Milliseconds lease{600'000};  // 0: never ends
  // Added to the time after which a silent node's job counts as ended.
  Milliseconds lease_margin{5'000};
  std::int64_t clock_drift_ppm = 500;  // largest error of any machine's clock, in parts per million
  Milliseconds lease_grace{30'000};    // time to save at the lease's end
  Milliseconds kill_wait{30'000};      // from SIGTERM to SIGKILL; Slurm's KillWait
  Milliseconds unkillable_step_timeout{60'000};  // after SIGKILL; Slurm's UnkillableStepTimeout;
                                                 // 0: ignored
  // Acknowledged heartbeats before a node that was silent counts as responding; more after repeated
  // silences.
  std::int64_t return_beats = 3;
  // Score of a node's failures at which jobs use the node last. Each failed launch that the node
  // caused adds 1, half as much after each hour. 0: never.
  std::int64_t failures_to_avoid = 2;
  std::int64_t failures_to_drain = 4;  // the score at which a node is drained; 0: never
  Milliseconds prepare_timeout{60'000};
  // An allocation ends when its client (salloc, srun) was silent for this time; 0: never.
  Milliseconds inactive_limit{1'800'000};
  Milliseconds min_job_age{300'000};  // how long ended jobs stay in memory; Slurm's MinJobAge
  Milliseconds launch_retry_max{
      300'000};  // longest pause between two launches of a job; the pauses double up to it
  std::int64_t checkpoints_kept = 2;  // newest checkpoints of each job that has not ended
  // How long the newest checkpoint is kept after the job's end.
  Milliseconds checkpoints_kept_ended{604'800'000};
  // How long the newest checkpoint of a COMPLETED job is kept after the job's end.
  Milliseconds checkpoints_kept_completed{0};
  std::int64_t log_size_max_mb = 10'240;     // of a rank's output file; 0: no limit
  std::int64_t max_jobs = limits::jobs_max;  // jobs that have not ended; Slurm's MaxJobCount
  std::int64_t max_array_size = limits::array_tasks_max;  // tasks; Slurm's MaxArraySize
  // Connections of one key or local user.
  std::int64_t connections_per_key = limits::connections_per_key;
  std::int64_t memory_limit_mb = 8'192;  // memory of the controller itself; 0: no limit
  // Cancels jobs whose dependencies can never be met; as in Slurm.
  bool kill_invalid_depend = false;
  // Gets mails on standard input, as sendmail -t does; empty: usual_sendmail.
  std::string mail_program = {};
  std::string notify_program = {};  // called when a job begins, ends or is requeued; empty: none
  std::string fence_program = {};   // called with a node's name, powers it off; empty: none
  // A node is fenced after this silence, if a job waits for its end there.
  Milliseconds fence_after{60'000};
  // Runs on the controller before an allocation's nodes are used; empty: none.
  std::string prolog_program = {};
  // Runs on the controller when an allocation has ended; empty: none.
  std::string epilog_program = {};
  // After this time prolog_program and epilog_program are killed, which counts as a failure.
  Milliseconds prolog_epilog_timeout{300'000};
  std::vector<SubmitRule> submit_rules = {};  // applied in this order to each submission
  std::string submit_program = {};  // runs for each submission, after the rules; empty: none
  // After this time, counted from the submission, the program has failed.
  Milliseconds submit_program_timeout{5'000};
  bool submit_without_program = false;  // accept submissions even if submit_program fails
  // The programs in [worker] of the controller's file, which the controller only shows.
  SitePrograms site = {};
  // When a rank of a job on several nodes has failed: how long the job's end waits for a sign that
  // one of the nodes caused it. With a sign, the job is requeued instead of FAILED.
  Milliseconds fault_settle{5'000};
  SchedulingSettings scheduling;
  UsageSettings usage = {};
  // Opening hours of the week by name, for partitions and for limits such as gres/gpu=16@nights.
  std::map<std::string, WeekHours> hours = {};
  DomainPaths domains;          // switches or blocks above each node, by the node's name
  std::uint32_t owner_uid = 0;  // user whose jobs this cluster runs, as which the controller runs
  TimeZone time_zone = {};      // zone of the controller's machine, for the times of crontabs
  // --accept-loss: the database has no attempts, though the cluster has had jobs, and that is
  // right.
  bool accept_loss = false;
};

struct WorkerConfig {
  std::string cluster_name = "coxswain";
  std::string node_name;  // empty: the host name
  // Numeric address at which other nodes reach the ranks of this node. Empty: the address of the
  // route to the controller.
  std::string address;
  // Endpoints of all controllers, separated by commas: ipc://PATH or tcp://ADDRESS:PORT.
  std::string controller;
  std::string controller_key;  // CURVE public key (Z85) of all controllers, for tcp
  std::string key_file;        // path of the worker's own key file
  std::string key_dir;         // folder of the public keys that may read logs (client*.pub)
  std::string spool_dir;       // supervisors' folders
  std::string checkpoint_root;
  std::string supervisor_program;
  // Where clients read logs: tcp://ADDRESS:PORT with CURVE; empty: any port at `address`.
  std::string log_endpoint;
  std::vector<std::string> features;
  std::int64_t cpus = 0;        // 0: all CPUs of the machine
  std::int64_t memory_mb = 0;   // 0: all memory of the machine
  std::vector<GpuDevice> gpus;  // the GPUs in gres = ["gpu:h100:4", "fpga:u280:2"]
  GpuGroups gpu_links;          // groups of GPUs that are linked; empty: the worker detects them
  std::vector<GresCount> gres;  // other resources
  std::int64_t weight = 1;      // nodes of less weight are used first, if several fit a job equally
  Milliseconds kill_wait{30'000};
  std::string health_check = {};                // path of the program; empty: none
  Milliseconds health_check_interval{300'000};  // from the end of a check to the start of the next
  std::string prolog = {};  // prolog, epilog and the two below are paths of programs; empty: none
  std::string epilog = {};
  std::string task_prolog = {};
  std::string task_epilog = {};
  // After this time these four programs are killed, which counts as a failure.
  Milliseconds prolog_epilog_timeout{300'000};
  std::int64_t memory_limit_mb = 2'048;  // memory of the worker itself, not of jobs; 0: no limit
  // Words of the command that runs a task in a container; empty: none.
  std::vector<std::string> container_command = {};
};

inline SitePrograms site_programs_of(const WorkerConfig& config) {
  return {config.prolog,
          config.epilog,
          config.task_prolog,
          config.task_epilog,
          config.prolog_epilog_timeout.count(),
          config.container_command};
}

struct ClientConfig {
  std::string controller;      // endpoints, by commas
  std::string controller_key;  // for tcp
  // Path of the client's own key file, for tcp and for reading logs from workers.
  std::string key_file;
};

}  // namespace cox
