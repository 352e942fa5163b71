// What is said of the settings of slurm.conf that are not taken over: those that hold here anyway,
// and those that there is nothing like, each with why or what to do instead.
#include "client/setup/slurm_import_words.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace cox {
namespace {

using enum ImportFate;

constexpr std::string_view keys = "programs know each other by keys: cox key make";
constexpr std::string_view database = "all state is in PostgreSQL, `database` of [controller]";
constexpr std::string_view journal = "the daemons log to the journal; log_level sets how much";
constexpr std::string_view units = "systemd starts, stops and restarts the daemons";
constexpr std::string_view of_sruns =
    "set SLURM_PROLOG and SLURM_EPILOG for all users, or give srun --prolog and --epilog";
constexpr std::string_view of_reservations =
    "no program runs at the edges of a reservation; a timer of systemd can";
constexpr std::string_view accounted = "every job and step is in PostgreSQL: cox.history, sacct";
constexpr std::string_view no_plugins = "there are no plugins";
constexpr std::string_view always_on = "nodes are not switched on and off; drain them by hand";
constexpr std::string_view silent =
    "node_timeout and lease of [controller] say what becomes of a silent node and its jobs";
constexpr std::string_view waits_set = "the protocol's own waits do; none is to be set";
constexpr std::string_view cgroups = "supervisors keep every process of a job in sight by cgroups";
constexpr std::string_view sums_up = "use is counted by billing_weights";
constexpr std::string_view one_user = "a cluster runs the jobs of the user its controller runs as";
constexpr std::string_view of_job = "a job says it for itself";
constexpr std::string_view memory_asked = "a job is held to the memory it asks for, or to none";
constexpr std::string_view alone = "a cluster stands alone: there are no federations";
constexpr std::string_view own_check = "health_check and health_check_interval of [worker]";

// clang-format off
constexpr auto all_words = std::to_array<ImportWords>({
  {"accountingstoragebackuphost", Missing, database},
  {"accountingstorageenforce", Same,
   "accounts, limits and QOS bind as soon as any account has a user"},
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
  {"acctgatherfilesystemtype", Missing, "use of file systems is not measured"},
  {"acctgatherinterconnecttype", Missing, "use of the network is not measured"},
  {"acctgathernodefreq", Missing, "energy is not measured"},
  {"acctgatherprofiletype", Missing, "there are no profiles of tasks"},
  {"allowspecresourcesusage", Missing, "what [worker] does not give to jobs no job can ask for"},
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
  {"completewait", Same, "what comes free is given out as soon as nothing of the job is left"},
  {"corespecplugin", Missing, "`cpus` of [worker] says how many CPUs jobs get"},
  {"cpufreqdef", Missing, "frequencies are the operating system's affair"},
  {"cpufreqgovernors", Missing, "frequencies are the operating system's affair"},
  {"credtype", Missing, keys},
  {"cryptotype", Missing, keys},
  {"debugflags", Missing, "log_level = \"debug\" says all"},
  {"defcpupergpu", Missing, "--cpus-per-gpu of the job"},
  {"defmempergpu", Missing, "--mem-per-gpu of the job"},
  {"defmempernode", Missing, "memory_mb_per_cpu_default of a partition (DefMemPerCPU)"},
  {"dependencyparameters", Missing, "kill_invalid_depend of [controller]"},
  {"disablerootjobs", Same, one_user},
  {"eiotimeout", Missing, waits_set},
  {"enforcepartlimits", Same, "what a partition never allows is refused at once (YES, ALL)"},
  {"epilogmsgtime", Missing, waits_set},
  {"extsensorsfreq", Missing, "there are no external sensors"},
  {"extsensorstype", Missing, "there are no external sensors"},
  {"fairsharedampeningfactor", Missing, "of the classic fair share; here is the Fair Tree"},
  {"federationparameters", Missing, alone},
  {"firstjobid", Missing, "ids begin with 1 and are never issued again"},
  {"frontendname", Missing, "there are no front ends; a worker runs on each node"},
  {"getenvtimeout", Missing, "nobody logs in for the environment of a job"},
  {"grestypes", Same, "every GRES that a node has is known"},
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
  {"maildomain", Missing, "--mail-user of the job says the whole address"},
  {"mailprog", Missing, "a program is called as sendmail is, and not as mail"},
  {"maxdbdmsgs", Missing, database},
  {"maxjobid", Missing, "ids have 64 bits and never begin again"},
  {"maxmempercpu", Missing, "max_memory_mb_per_node of a partition bounds memory"},
  {"maxnodecount", Missing, "nodes are those whose workers have keys"},
  {"maxstepcount", Missing, "10000 steps of a job may be there at once"},
  {"maxtaskspernode", Missing, "a job may have 262144 tasks, on however few nodes"},
  {"mcsparameters", Missing, one_user},
  {"mcsplugin", Missing, one_user},
  {"messagetimeout", Missing, waits_set},
  {"mpidefault", Missing, "mpirun starts its tasks by srun; srun --mpi says it for a program"},
  {"mpiparams", Missing, "ports are the kernel's to choose"},
  {"nodefeaturesplugins", Missing, no_plugins},
  {"overtimelimit", Missing, "a time limit is kept; kill_wait comes after it"},
  {"plugindir", Missing, no_plugins},
  {"plugstackconfig", Missing, no_plugins},
  {"powerparameters", Missing, always_on},
  {"powerplugin", Missing, always_on},
  {"prepparameters", Missing, no_plugins},
  {"prepplugins", Missing, no_plugins},
  {"priorityflags", Missing, "the Fair Tree is always on; no other flag is there"},
  {"priorityparameters", Missing, no_plugins},
  {"prioritysitefactorparameters", Missing, no_plugins},
  {"prioritysitefactorplugin", Missing, no_plugins},
  {"priorityusageresetperiod", Missing,
   "usage_half_life forgets; sacctmgr modify account NAME set RawUsage=0 does at once"},
  {"priorityweightassoc", Missing, "accounts have shares, and no priority of their own"},
  {"privatedata", Missing, one_user},
  {"proctracktype", Same, cgroups},
  {"propagateprioprocess", Missing, "niceness is not handed on"},
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
  {"resvoverrun", Missing, "who runs on when a reservation ends is left to run"},
  {"resvprolog", Missing, of_reservations},
  {"returntoservice", Same, "a node that is heard of again gets work; who was drained stays so"},
  {"routeplugin", Missing, "the controller speaks to every worker itself"},
  {"schedulertimeslice", Missing, "CPUs are not shared by time"},
  {"scronparameters", Same, "scrontab works, and scancel needs --cron to end its jobs"},
  {"slurmctldaddr", Missing, "`controller` of [worker] and [client] is where it is called"},
  {"slurmctlddebug", Missing, journal},
  {"slurmctldlogfile", Missing, journal},
  {"slurmctldparameters", Missing, "each program reads /etc/coxswain/coxswain.toml of its host"},
  {"slurmctldpidfile", Missing, units},
  {"slurmctldplugstack", Missing, no_plugins},
  {"slurmctldport", Missing, "the controller listens at 6820, beside a Slurm that runs on"},
  {"slurmctldprimaryoffprog", Missing, units},
  {"slurmctldprimaryonprog", Missing, units},
  {"slurmctldsyslogdebug", Missing, journal},
  {"slurmctldtimeout", Missing, "a second controller fences off the first as soon as it starts"},
  {"slurmddebug", Missing, journal},
  {"slurmdlogfile", Missing, journal},
  {"slurmdparameters", Missing, "[worker] says what a node has"},
  {"slurmdpidfile", Missing, units},
  {"slurmdport", Missing, "workers call the controller; ports between nodes are the kernel's"},
  {"slurmdspooldir", Missing, "spool_dir of [worker] is /var/spool/coxswain"},
  {"slurmdsyslogdebug", Missing, journal},
  {"slurmdtimeout", Missing, silent},
  {"slurmduser", Same, "the worker runs as root, if jobs are to be of several users"},
  {"slurmschedlogfile", Missing, journal},
  {"slurmschedloglevel", Missing, journal},
  {"slurmuser", Missing, "the controller's unit says whom it runs as"},
  {"srunepilog", Missing, of_sruns},
  {"srunportrange", Missing, "ports are the kernel's to choose: no firewall between the nodes"},
  {"srunprolog", Missing, of_sruns},
  {"statesavelocation", Missing, database},
  {"suspendexcnodes", Missing, always_on},
  {"suspendexcparts", Missing, always_on},
  {"suspendprogram", Missing, always_on},
  {"suspendrate", Missing, always_on},
  {"suspendtime", Missing, always_on},
  {"suspendtimeout", Missing, always_on},
  {"switchparameters", Missing, no_plugins},
  {"switchtype", Missing, "the network is the operating system's affair"},
  {"taskplugin", Missing, cgroups},
  {"taskpluginparam", Missing, cgroups},
  {"tcptimeout", Missing, waits_set},
  {"tmpfs", Missing, "scratch of nodes is not counted"},
  {"topologyparam", Missing, "--switches and --topology of a job ask for what is near"},
  {"topologyplugin", Same, "[[switch]] and [[block]] say what is wired how"},
  {"trackwckey", Missing, "a job's --wckey is stored, and not charged"},
  {"treewidth", Missing, "the controller speaks to every worker itself"},
  {"unkillablestepprogram", Missing, "a job is COMPLETING until nothing of it is left"},
  {"unkillablesteptimeout", Missing, "unkillable_step_timeout of [controller]"},
  {"usepam", Missing, one_user},
  {"vsizefactor", Missing, memory_asked},
  {"waittime", Missing, "srun --wait of the job"},
  {"x11parameters", Missing, "there is no X11; use ssh -X to the node"},
});

constexpr auto all_partition_words = std::to_array<ImportWords>({
  {"allocnodes", Missing, "whoever has a client's key may submit, from wherever"},
  {"allowusers", Missing, "allow_accounts or allow_groups"},
  {"denyusers", Missing, "deny_accounts"},
  {"denygroups", Missing, "allow_groups, or deny_accounts"},
  {"alternate", Missing, "a job may name several partitions: -p a,b"},
  {"cpubind", Missing, of_job},
  {"defcpupergpu", Missing, "--cpus-per-gpu of the job"},
  {"defmempergpu", Missing, "--mem-per-gpu of the job"},
  {"defmempernode", Missing, "DefMemPerCPU does it: memory_mb_per_cpu_default"},
  {"disablerootjobs", Same, one_user},
  {"exclusiveuser", Missing, "all jobs of a cluster are of one user; OverSubscribe=EXCLUSIVE"},
  {"gracetime", Missing, "a QOS has its grace: sacctmgr modify qos NAME set GraceTime=SECONDS"},
  {"hidden", Missing, "every partition is seen"},
  {"jobdefaults", Missing, "--cpus-per-gpu and --mem-per-gpu of the job"},
  {"lln", Missing, "placement = \"spreading\" of [scheduling] does it for all partitions"},
  {"maxcpuspernode", Missing, "`cpus` of [worker] says how many CPUs jobs get"},
  {"maxcpuspersocket", Missing, "`cpus` of [worker] says how many CPUs jobs get"},
  {"maxmempercpu", Missing, "MaxMemPerNode does it: max_memory_mb_per_node"},
  {"overtimelimit", Missing, "a time limit is kept"},
  {"powerdownonidle", Missing, always_on},
  {"reqresv", Missing, "keep the nodes by `cox reserve create`, and the partition DOWN"},
  {"resumetimeout", Missing, always_on},
  {"rootonly", Missing, "allow_groups, with a group of administrators"},
  {"selecttypeparameters", Missing, "CPUs and memory are given out in every partition"},
  {"suspendtime", Missing, always_on},
  {"suspendtimeout", Missing, always_on},
});

constexpr auto all_node_words = std::to_array<ImportWords>({
  {"bcastaddr", Missing, "sbcast and srun --bcast use the connections of the tasks' streams"},
  {"corespecplugin", Missing, "`cpus` of [worker] says how many CPUs jobs get"},
  {"cpubind", Missing, of_job},
  {"nodeaddr", Missing, "`address` of [worker], if not that of the route to the controller"},
  {"nodehostname", Missing, "`node_name` of [worker] on each whose host name is another"},
  {"port", Missing, "workers call the controller; ports between nodes are the kernel's"},
  {"reason", Missing, "cox drain NODE --reason says it anew"},
  {"restrictedcorespergpu", Missing, "CPUs are not kept for GPUs"},
  {"tmpdisk", Missing, "scratch of nodes is not counted; a GRES of your own may count it"},
  {"topology", Missing, "[[switch]] and [[block]] say what is wired how"},
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
