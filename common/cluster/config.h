// The settings of a cluster and of one worker, as etc/coxswain.toml explains them. Plain data:
// common/io/config/config_file.h reads it; everything pure gets it as a parameter.
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

// How the use of room is counted, of those whom jobs are charged to.
struct UsageSettings {
  Milliseconds half_life{604'800'000};  // Slurm's PriorityDecayHalfLife; 0: nothing is forgotten
  Milliseconds period{300'000};         // it is counted anew so often; Slurm's PriorityCalcPeriod
  std::vector<BillingWeight> weights = {{{Tres::Cpus, "", "", 0}, 1'000},
                                        {{Tres::GpuMilli, "", "", 0}, 10'000}};
};

// A group of this machine's, with who is in it, as the system said when the file was read.
struct AllowedGroup {
  std::string name;
  std::uint32_t gid = 0;
  std::vector<std::string> members;  // beside those whose own group it is
};

// Groups by name, as the system said when they were looked up. Nothing: it has no such group, or
// could not say.
using HostGroups = std::map<std::string, std::optional<AllowedGroup>>;

struct PartitionConfig {
  std::string name;
  std::vector<std::string> nodes;  // expanded; empty: all nodes
  bool is_default = false;
  std::int64_t time_limit_max_s = 0;             // 0: none
  std::int64_t time_limit_default_s = 0;         // 0: none
  std::int64_t memory_mb_per_cpu_default = 0;    // for jobs that ask for no memory; 0: count none
  std::int64_t priority = 0;                     // Slurm's PriorityJobFactor
  std::optional<Preference> gpu_choice = {};     // when several types would do
  std::int64_t priority_tier = 1;                // who is looked at first; Slurm's PriorityTier
  std::int64_t min_nodes = 0;                    // of a job; 0: any number
  std::int64_t max_nodes = 0;                    // likewise
  std::int64_t max_memory_mb_per_node = 0;       // that a job may ask for; 0: any
  std::vector<std::string> allow_accounts = {};  // whose jobs alone; empty: all
  std::vector<std::string> deny_accounts = {};
  std::vector<std::string> allow_qos = {};
  std::vector<std::string> deny_qos = {};
  std::vector<AllowedGroup> allow_groups = {};
  std::string qos = {};                          // whose limits bind its jobs too
  std::optional<PreemptMode> preempt_mode = {};  // of its jobs, whatever their QOS says
  bool exclusive = false;                        // each job has its nodes to itself
  std::string hours = {};                        // while these are open jobs start; empty: always
  std::string tres_billing_weights = {};         // as Slurm writes them; empty: of all
  std::vector<BillingWeight> billing_weights = {};  // the same, read
};

// Takes mail if it is there and mail_program names no other program.
inline constexpr const char* usual_sendmail = "/usr/sbin/sendmail";

struct ControllerConfig {
  std::string cluster_name = "coxswain";
  std::string database;         // libpq connection string
  std::string listen_local;     // ipc:// endpoint for clients and workers of this machine
  std::string listen_tcp;       // tcp:// endpoint with CURVE; empty: none
  std::string key_dir;          // controller.key, worker-NAME.pub, client*.pub
  std::string checkpoint_root;  // on storage all nodes share
  std::vector<PartitionConfig> partitions;
  Milliseconds leader_lease{3'000};  // of one of several controllers
  Milliseconds heartbeat{2'000};
  Milliseconds node_timeout{15'000};
  Milliseconds lease{600'000};                   // 0: never ends
  Milliseconds lease_margin{5'000};              // beyond what a supervisor may take to stop
  std::int64_t clock_drift_ppm = 500;            // of any machine's clock, at most
  Milliseconds lease_grace{30'000};              // time to save at the lease's end
  Milliseconds kill_wait{30'000};                // SIGTERM to SIGKILL, Slurm's KillWait
  Milliseconds unkillable_step_timeout{60'000};  // Slurm's; after SIGKILL; 0: nothing is made of it
  std::int64_t return_beats = 3;                 // good ones, of a node that was silent
  std::int64_t failures_to_avoid = 2;            // of launches on a node; 0: never
  std::int64_t failures_to_drain = 4;            // likewise
  Milliseconds prepare_timeout{60'000};
  Milliseconds inactive_limit{1'800'000};  // of a client with an allocation; 0: for ever
  Milliseconds min_job_age{300'000};       // ended jobs stay in memory so long, Slurm's MinJobAge
  Milliseconds launch_retry_max{
      300'000};                       // between launches of a job that fail in a row: doubles up to
  std::int64_t checkpoints_kept = 2;  // of a job that has not ended
  Milliseconds checkpoints_kept_ended{604'800'000};       // the newest of a job that has, so long
  Milliseconds checkpoints_kept_completed{0};             // likewise, of a COMPLETED one
  std::int64_t log_size_max_mb = 10'240;                  // of a rank's output file; 0: any
  std::int64_t max_jobs = limits::jobs_max;               // not yet ended; Slurm's MaxJobCount
  std::int64_t max_array_size = limits::array_tasks_max;  // tasks; Slurm's MaxArraySize
  std::int64_t connections_per_key = limits::connections_per_key;  // also of a local user
  std::int64_t memory_limit_mb = 8'192;  // of the controller itself; 0: none
  bool kill_invalid_depend = false;      // Slurm's: what depends on what can never be, ends
  std::string mail_program = {};         // takes mail as sendmail -t does; empty: usual_sendmail
  std::string notify_program = {};       // run at events of jobs; empty: none
  std::string fence_program = {};        // powers off the node that it is given; empty: none
  Milliseconds fence_after{60'000};      // of silence, of a node on which a job waits
  std::string prolog_program = {};       // run before an allocation's nodes are used; empty: none
  std::string epilog_program = {};       // run when an allocation has ended; empty: none
  Milliseconds prolog_epilog_timeout{300'000};  // then one of these two is killed, and has failed
  std::vector<SubmitRule> submit_rules = {};    // applied to each submission, in this order
  std::string submit_program = {};  // run after the rules, for each submission; empty: none
  Milliseconds submit_program_timeout{5'000};  // from the submission; then the program has failed
  bool submit_without_program = false;         // accepts submissions when the program fails
  SitePrograms site = {};  // [worker]'s in the controller's own file: shown, and nothing else
  // How long a failed job of several nodes waits for one of them to report a fault of its own.
  Milliseconds fault_settle{5'000};
  SchedulingSettings scheduling;
  UsageSettings usage = {};
  std::map<std::string, WeekHours> hours = {};  // by name, for partitions and quotas
  DomainPaths domains;                          // where nodes are in the topology, by name
  std::uint32_t owner_uid = 0;  // whose jobs this cluster runs: the controller's own user
  TimeZone time_zone = {};      // of the controller's machine, for times of crontabs
};

struct WorkerConfig {
  std::string cluster_name = "coxswain";
  std::string node_name;  // empty: the host name
  std::string address;    // numeric, where ranks are reached; empty: of the route to the controller
  std::string controller;      // endpoints, ipc:// or tcp://, by commas
  std::string controller_key;  // CURVE public key (Z85) of all of them, for tcp
  std::string key_file;        // this worker's own key
  std::string key_dir;         // public keys that may read logs (client*.pub)
  std::string spool_dir;       // supervisors' folders
  std::string checkpoint_root;
  std::string supervisor_program;
  std::string log_endpoint;  // tcp://ADDRESS:PORT; empty: tcp://<address>:* with CURVE
  std::vector<std::string> features;
  std::int64_t cpus = 0;        // 0: as the machine has
  std::int64_t memory_mb = 0;   // 0: as the machine has
  std::vector<GpuDevice> gpus;  // from gres = ["gpu:h100:4", "fpga:u280:2"]
  GpuGroups gpu_links;          // joined to each other; empty: as the machine tells
  std::vector<GresCount> gres;  // the others
  std::int64_t weight = 1;      // of nodes that would do the lighter are taken first
  Milliseconds kill_wait{30'000};
  std::string health_check = {};                // a program; empty: none
  Milliseconds health_check_interval{300'000};  // from its end to its next start
  std::string prolog = {};                      // these four: programs; empty: none
  std::string epilog = {};
  std::string task_prolog = {};
  std::string task_epilog = {};
  Milliseconds prolog_epilog_timeout{300'000};      // then one of them is killed, and has failed
  std::int64_t memory_limit_mb = 2'048;             // of the worker itself, not of jobs; 0: none
  std::vector<std::string> container_command = {};  // runs a task in a container; empty: none
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
  std::string key_file;        // the client's own key, for tcp and for reading logs from workers
};

}  // namespace cox
