// The notes for settings of slurm.conf that are not imported: Coxswain always behaves so, or has no
// counterpart. Each says the reason, or what to do instead.
#include "client/setup/slurm_import_words.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace cox {
namespace {

using enum ImportFate;

constexpr std::string_view keys = "programs authenticate with keys: see cox key make";
constexpr std::string_view database = "all state is in PostgreSQL, `database` of [controller]";
constexpr std::string_view journal = "the daemons log to the journal; log_level sets how much";
constexpr std::string_view units = "systemd starts, stops and restarts the daemons";
constexpr std::string_view of_sruns =
    "set SLURM_PROLOG and SLURM_EPILOG for all users, or give srun --prolog and --epilog";
constexpr std::string_view of_reservations =
    "no program runs when a reservation begins or ends; use a systemd timer";
constexpr std::string_view accounted = "every job and step is in PostgreSQL: cox.history, sacct";
constexpr std::string_view no_plugins = "there are no plugins";
constexpr std::string_view always_on = "nodes are not powered on and off; drain them by hand";
constexpr std::string_view silent =
    "node_timeout and lease of [controller] decide what happens to a silent node and its jobs";
constexpr std::string_view waits_set = "the protocol's timeouts are fixed";
constexpr std::string_view cgroups = "supervisors track all processes of a job with cgroups";
constexpr std::string_view sums_up = "usage is weighted by billing_weights";
constexpr std::string_view one_user =
    "a cluster runs only the jobs of the user that its controller runs as";
constexpr std::string_view of_job = "each job sets it by its own options";
constexpr std::string_view memory_asked =
    "memory is counted, not enforced: a job may use more than it asked for";
constexpr std::string_view alone = "there are no federations";
constexpr std::string_view own_check = "health_check and health_check_interval of [worker]";

// clang-format off
constexpr auto all_words = std::to_array<ImportWords>({
  {"accountingstoragebackuphost", Missing, database},
  {"accountingstorageenforce", Same,
   "accounts, limits and QOS are enforced once any account has a user"},
  {"accountingstorageexternalhost", Missing, database},
  {"accountingstoragehost", Missing, database},
  {"accountingstorageparameters", Missing, database},
  {"accountingstoragepass", Missing, database},
  {"accountingstorageport", Missing, database},
  {"accountingstoragetres", Same, "CPUs, memory, nodes and all GRES are counted"},
  {"accountingstoragetype", Missing, database},
  {"accountingstorageuser", Missing, database},
  {"accountingstoreflags", Same, "comment, script and environment of a job are stored"},
  {"acctgatherenergytype", Missing, "energy is not measured"},
  {"acctgatherfilesystemtype", Missing, "file system usage is not measured"},
  {"acctgatherinterconnecttype", Missing, "network usage is not measured"},
  {"acctgathernodefreq", Missing, "energy is not measured"},
  {"acctgatherprofiletype", Missing, "there are no profiles of tasks"},
  {"allowspecresourcesusage", Missing,
   "no job can use CPUs and memory that [worker] does not offer"},
  {"authalttypes", Missing, keys},
  {"authaltparameters", Missing, keys},
  {"authinfo", Missing, keys},
  {"authtype", Missing, keys},
  {"batchstarttimeout", Missing, "prepare_timeout of [controller] bounds how long a start takes"},
  {"bcastexclude", Missing, "sbcast and srun --bcast copy no libraries"},
  {"bcastparameters", Missing, "sbcast and srun --bcast copy a file as it is"},
  {"burstbuffertype", Missing, "there are no burst buffers"},
  {"clifilterplugins", Missing, no_plugins},
  {"communicationparameters", Missing, waits_set},
  {"completewait", Same, "resources are reused once no process of the job is left"},
  {"corespecplugin", Missing, "`cpus` of [worker] limits the CPUs for jobs"},
  {"cpufreqdef", Missing, "CPU frequencies are left to the operating system"},
  {"cpufreqgovernors", Missing, "CPU frequencies are left to the operating system"},
  {"credtype", Missing, keys},
  {"cryptotype", Missing, keys},
  {"debugflags", Missing, "log_level = \"debug\" logs everything"},
  {"defcpupergpu", Missing, "--cpus-per-gpu of the job"},
  {"defmempergpu", Missing, "--mem-per-gpu of the job"},
  {"defmempernode", Missing, "memory_mb_per_cpu_default of a partition (DefMemPerCPU)"},
  {"dependencyparameters", Missing, "kill_invalid_depend of [controller]"},
  {"disablerootjobs", Same, one_user},
  {"eiotimeout", Missing, waits_set},
  {"enforcepartlimits", Same,
   "a job that its partition never allows is refused at submission (YES, ALL)"},
  {"epilogmsgtime", Missing, waits_set},
  {"extsensorsfreq", Missing, "there are no external sensors"},
  {"extsensorstype", Missing, "there are no external sensors"},
  {"fairsharedampeningfactor", Missing,
   "it belongs to the classic fair share; Coxswain uses the Fair Tree"},
  {"federationparameters", Missing, alone},
  {"firstjobid", Missing, "ids begin with 1 and are never issued again"},
  {"frontendname", Missing, "there are no front ends; a worker runs on each node"},
  {"getenvtimeout", Missing, "the environment of a job is not read by a login"},
  {"grestypes", Same, "every GRES of a node's `gres` is counted"},
  {"groupupdateforce", Missing, "groups of allow_groups are read when the controller starts"},
  {"groupupdatetime", Missing, "groups of allow_groups are read when the controller starts"},
  {"healthcheckinterval", Missing, own_check},
  {"healthchecknodestate", Missing, own_check},
  {"healthcheckprogram", Missing, own_check},
  {"inactivelimit", Missing, "an allocation lasts until salloc ends it, or its time limit does"},
  {"interactivestepoptions", Missing, "salloc runs its command here, srun --pty one on a node"},
  {"jobacctgatherfrequency", Missing, accounted},
  {"jobacctgatherparams", Missing, memory_asked},
  {"jobacctgathertype", Missing, accounted},
  {"jobcomphost", Missing, accounted},
  {"jobcomploc", Missing, accounted},
  {"jobcompparams", Missing, accounted},
  {"jobcomppass", Missing, accounted},
  {"jobcompport", Missing, accounted},
  {"jobcomptype", Missing, accounted},
  {"jobcompuser", Missing, accounted},
  {"jobcontainertype", Missing, "set container_command in [worker], and use --container-image"},
  {"jobfileappend", Missing, "--open-mode of the job"},
  {"jobsubmitplugins", Missing, "write [[submit_rule]]s, or set submit_program in [controller]"},
  {"killonbadexit", Missing, "srun --kill-on-bad-exit, or SLURM_KILL_BAD_EXIT in the environment"},
  {"launchparameters", Missing, no_plugins},
  {"launchtype", Missing, no_plugins},
  {"logtimeformat", Missing, "times in logs are in UTC"},
  {"maildomain", Missing, "--mail-user takes the whole address"},
  {"mailprog", Missing, "mail_program of [controller] is called like sendmail, not like mail"},
  {"maxdbdmsgs", Missing, database},
  {"maxjobid", Missing, "job ids have 64 bits and never restart"},
  {"maxmempercpu", Missing, "max_memory_mb_per_node of a partition limits memory"},
  {"maxnodecount", Missing, "the nodes are those whose workers have registered"},
  {"maxstepcount", Missing, "a job can have 10000 steps at once"},
  {"maxtaskspernode", Missing, "a job can have 262144 tasks, on any number of nodes"},
  {"mcsparameters", Missing, one_user},
  {"mcsplugin", Missing, one_user},
  {"messagetimeout", Missing, waits_set},
  {"mpidefault", Missing, "mpirun starts its tasks with srun; srun --mpi sets it for one program"},
  {"mpiparams", Missing, "the kernel chooses the ports"},
  {"nodefeaturesplugins", Missing, no_plugins},
  {"overtimelimit", Missing, "jobs are stopped at their time limit, and killed kill_wait later"},
  {"plugindir", Missing, no_plugins},
  {"plugstackconfig", Missing, no_plugins},
  {"powerparameters", Missing, always_on},
  {"powerplugin", Missing, always_on},
  {"prepparameters", Missing, no_plugins},
  {"prepplugins", Missing, no_plugins},
  {"priorityflags", Missing, "the Fair Tree is always used; there are no other flags"},
  {"priorityparameters", Missing, no_plugins},
  {"prioritysitefactorparameters", Missing, no_plugins},
  {"prioritysitefactorplugin", Missing, no_plugins},
  {"priorityusageresetperiod", Missing,
   "use usage_half_life, or sacctmgr modify account NAME set RawUsage=0"},
  {"priorityweightassoc", Missing, "accounts have shares, but no priority"},
  {"privatedata", Missing, one_user},
  {"proctracktype", Same, cgroups},
  {"propagateprioprocess", Missing, "niceness is not passed on"},
  {"propagateresourcelimits", Missing,
   "soft limits except MEMLOCK are passed on to jobs and steps; --propagate changes that"},
  {"propagateresourcelimitsexcept", Missing,
   "soft limits except MEMLOCK are passed on to jobs and steps; --propagate changes that"},
  {"rebootprogram", Missing, always_on},
  {"reconfigflags", Same, "states of nodes and partitions are kept over restarts"},
  {"requeueexit", Missing, "--requeue and exit code 75 (saved) of the job"},
  {"requeueexithold", Missing, "--requeue and exit code 75 (saved) of the job"},
  {"resumefailprogram", Missing, always_on},
  {"resumeprogram", Missing, always_on},
  {"resumerate", Missing, always_on},
  {"resumetimeout", Missing, always_on},
  {"resvepilog", Missing, of_reservations},
  {"resvoverrun", Missing, "jobs that still run when their reservation ends run on"},
  {"resvprolog", Missing, of_reservations},
  {"returntoservice", Same, "a node that responds again gets jobs; a drained node stays drained"},
  {"routeplugin", Missing, "the controller exchanges messages with each worker directly"},
  {"schedulertimeslice", Missing, "there is no gang scheduling"},
  {"scronparameters", Same, "scrontab works, and scancel needs --cron to end its jobs"},
  {"slurmctldaddr", Missing, "set `controller` of [worker] and [client] to this address"},
  {"slurmctlddebug", Missing, journal},
  {"slurmctldlogfile", Missing, journal},
  {"slurmctldparameters", Missing, "each program reads /etc/coxswain/coxswain.toml of its host"},
  {"slurmctldpidfile", Missing, units},
  {"slurmctldplugstack", Missing, no_plugins},
  {"slurmctldport", Missing,
   "the controller listens on port 6820, so that Slurm can keep running beside it"},
  {"slurmctldprimaryoffprog", Missing, units},
  {"slurmctldprimaryonprog", Missing, units},
  {"slurmctldsyslogdebug", Missing, journal},
  {"slurmctldtimeout", Missing, "leader_lease of [controller] decides when a standby takes over"},
  {"slurmddebug", Missing, journal},
  {"slurmdlogfile", Missing, journal},
  {"slurmdparameters", Missing, "[worker] sets what a node offers"},
  {"slurmdpidfile", Missing, units},
  {"slurmdport", Missing,
   "workers connect to the controller; the kernel chooses the ports between nodes"},
  {"slurmdspooldir", Missing, "spool_dir of [worker] is /var/spool/coxswain"},
  {"slurmdsyslogdebug", Missing, journal},
  {"slurmdtimeout", Missing, silent},
  {"slurmduser", Same, "the worker runs as root, and jobs run as the cluster's user"},
  {"slurmschedlogfile", Missing, journal},
  {"slurmschedloglevel", Missing, journal},
  {"slurmuser", Missing, "the controller's systemd unit sets its user"},
  {"srunepilog", Missing, of_sruns},
  {"srunportrange", Missing, "the kernel chooses the ports: allow all ports between the nodes"},
  {"srunprolog", Missing, of_sruns},
  {"statesavelocation", Missing, database},
  {"suspendexcnodes", Missing, always_on},
  {"suspendexcparts", Missing, always_on},
  {"suspendprogram", Missing, always_on},
  {"suspendrate", Missing, always_on},
  {"suspendtime", Missing, always_on},
  {"suspendtimeout", Missing, always_on},
  {"switchparameters", Missing, no_plugins},
  {"switchtype", Missing, "the network is left to the operating system"},
  {"taskplugin", Missing, cgroups},
  {"taskpluginparam", Missing, cgroups},
  {"tcptimeout", Missing, waits_set},
  {"tmpfs", Missing, "scratch space is not counted"},
  {"topologyparam", Missing, "jobs use --switches and --topology to get nodes close to each other"},
  {"topologyplugin", Same, "[[switch]] and [[block]] describe the topology"},
  {"trackwckey", Missing, "a job's --wckey is stored, but not accounted"},
  {"treewidth", Missing, "the controller exchanges messages with each worker directly"},
  {"unkillablestepprogram", Missing, "a job stays COMPLETING until its last process has ended"},
  {"unkillablesteptimeout", Missing, "unkillable_step_timeout of [controller]"},
  {"usepam", Missing, one_user},
  {"vsizefactor", Missing, memory_asked},
  {"waittime", Missing, "srun --wait of the job"},
  {"x11parameters", Missing, "there is no X11 forwarding; use ssh -X to the node"},
});

constexpr auto all_partition_words = std::to_array<ImportWords>({
  {"allocnodes", Missing, "any host with a client key can submit jobs"},
  {"allowusers", Missing, "allow_accounts or allow_groups"},
  {"denyusers", Missing, "deny_accounts"},
  {"denygroups", Missing, "allow_groups, or deny_accounts"},
  {"alternate", Missing, "a job may name several partitions: -p a,b"},
  {"cpubind", Missing, of_job},
  {"defcpupergpu", Missing, "--cpus-per-gpu of the job"},
  {"defmempergpu", Missing, "--mem-per-gpu of the job"},
  {"defmempernode", Missing, "use DefMemPerCPU, here memory_mb_per_cpu_default"},
  {"disablerootjobs", Same, one_user},
  {"exclusiveuser", Missing,
   "all jobs of a cluster belong to one user; for whole nodes, OverSubscribe=EXCLUSIVE"},
  {"gracetime", Missing, "each QOS has its own: sacctmgr modify qos NAME set GraceTime=SECONDS"},
  {"hidden", Missing, "all partitions are visible"},
  {"jobdefaults", Missing, "--cpus-per-gpu and --mem-per-gpu of the job"},
  {"lln", Missing, "placement = \"spreading\" of [scheduling] does this for all partitions"},
  {"maxcpuspernode", Missing, "`cpus` of [worker] limits the CPUs for jobs"},
  {"maxcpuspersocket", Missing, "`cpus` of [worker] limits the CPUs for jobs"},
  {"maxmempercpu", Missing, "use MaxMemPerNode, here max_memory_mb_per_node"},
  {"overtimelimit", Missing, "jobs are stopped at their time limit"},
  {"powerdownonidle", Missing, always_on},
  {"reqresv", Missing, "reserve the nodes with `cox reserve create`, and set the partition DOWN"},
  {"resumetimeout", Missing, always_on},
  {"rootonly", Missing, "allow_groups, with a group of administrators"},
  {"selecttypeparameters", Missing, "CPUs and memory are allocated in all partitions"},
  {"suspendtime", Missing, always_on},
  {"suspendtimeout", Missing, always_on},
});

constexpr auto all_node_words = std::to_array<ImportWords>({
  {"bcastaddr", Missing, "sbcast and srun --bcast use the connections of the tasks' streams"},
  {"corespecplugin", Missing, "`cpus` of [worker] limits the CPUs for jobs"},
  {"cpubind", Missing, of_job},
  {"nodeaddr", Missing,
   "`address` of [worker], if it differs from that of the route to the controller"},
  {"nodehostname", Missing, "`node_name` of [worker], on each node whose host name differs"},
  {"port", Missing,
   "workers connect to the controller; the kernel chooses the ports between nodes"},
  {"reason", Missing, "set it again with cox drain NODE --reason TEXT"},
  {"restrictedcorespergpu", Missing, "CPUs are not reserved for GPUs"},
  {"tmpdisk", Missing, "scratch space is not counted; you can define a GRES for it"},
  {"topology", Missing, "[[switch]] and [[block]] describe the topology"},
  {"tresweights", Missing, sums_up},
});
// clang-format on

template <std::size_t N>
const ImportWords* find_in(const std::array<ImportWords, N>& words, std::string_view name) {
  const auto found = std::ranges::find(words, lower_case(name), &ImportWords::name);
  return found == words.end() ? nullptr : &*found;
}

}  // namespace

const ImportWords* words_of_setting(std::string_view name) {
  return find_in(all_words, name);
}

const ImportWords* words_of_partition(std::string_view name) {
  return find_in(all_partition_words, name);
}

const ImportWords* words_of_node(std::string_view name) {
  return find_in(all_node_words, name);
}

std::vector<std::string_view> names_with_words() {
  std::vector<std::string_view> names;
  for (const ImportWords& words : all_words) names.push_back(words.name);
  return names;
}

}  // namespace cox
