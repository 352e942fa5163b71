#include "client/slurm/list/job_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/time_style.h"
#include "common/job/job_ref.h"

namespace cox {
namespace job_field {
namespace {

using V = JobView;
using F = FieldView;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string or_null(const std::string& text) {
  return text.empty() ? "(null)" : text;
}

std::string or_na(const std::string& text) {
  return text.empty() ? "N/A" : text;
}

std::string moment(Wall t, const F& f) {
  return t == Wall{} ? "N/A" : styled_moment(t, f.time_style, f.screen);
}

template <auto member>
std::string text_of(const V& v, const F&) {
  return or_null((*v.job.spec).*member);
}

template <auto member>
std::string number_of(const V& v, const F&) {
  return number((*v.job.spec).*member);
}

template <auto member>
std::string gpus_of(const V& v, const F&) {
  const std::int64_t count = (*v.job.spec).*member;
  return count > 0 ? "gres/gpu:" + number(count) : "N/A";
}

template <auto member>
std::string moment_of(const V& v, const F& f) {
  return moment(v.job.*member, f);
}

template <std::int64_t (*count)(const V&)>
std::string counted(const V& v, const F&) {
  return number(count(v));
}

template <auto function>
SortKey by(const V& v) {
  if constexpr (requires { (*v.job.spec).*function; }) {
    const auto& value = (*v.job.spec).*function;
    if constexpr (requires { std::string(value); }) {
      return value;
    } else {
      return std::int64_t{value};
    }
  } else if constexpr (requires { function(v, F{}); }) {
    return function(v, F{});
  } else {
    return function(v);
  }
}

SortKey by_nothing(const V&) {
  return std::int64_t{0};
}

// The text of a column that has no counterpart in Coxswain: the constant that Slurm shows for a job
// that does not use the feature.
template <char... text>
std::string always(const V&, const F&) {
  return {text...};
}
constexpr auto null = always<'(', 'n', 'u', 'l', 'l', ')'>;
constexpr auto not_applicable = always<'N', '/', 'A'>;
constexpr auto not_federated = always<'N', 'A'>;
constexpr auto nothing = always<>;
constexpr auto zero = always<'0'>;
constexpr auto no_time = always<'0', ':', '0', '0'>;
constexpr auto any = always<'*'>;

std::string array_id(const V& v, const F& f) {
  if (!has_several_tasks(v.job)) return shown_id(v.job);
  return number(v.job.array_job.value) + "_[" + job_array_tasks(v.job, f.tasks_bytes) + "]";
}

std::string array_task(const V& v, const F& f) {
  if (!is_of_array(v.job)) return "N/A";
  return has_several_tasks(v.job) ? job_array_tasks(v.job, f.tasks_bytes)
                                  : number(v.job.array_task);
}

std::string array_job(const V& v, const F&) {
  return number(is_of_array(v.job) ? v.job.array_job.value : v.job.id.value);
}

std::string limit(const V& v, const F&) {
  const std::int64_t limit_s = time_limit_s(v);
  return limit_s == 0 ? "UNLIMITED" : slurm_clock_text(limit_s);
}

// A requeued job that is pending has used no time: its next attempt has all of its limit.
std::int64_t used_ms(const V& v) {
  return v.job.state == JobState::Pending ? 0 : v.ran_ms;
}

std::int64_t left_s(const V& v) {
  return v.left_ms >= 0 ? v.left_ms / 1000
                        : std::max<std::int64_t>(0, time_limit_s(v) - used_ms(v) / 1000);
}

std::string left(const V& v, const F&) {
  return time_limit_s(v) == 0 ? "UNLIMITED" : slurm_clock_text(left_s(v));
}

std::string nodes(const V& v, const F&) {
  return v.job.state == JobState::Pending ? "" : node_list_text(v.nodes);
}

std::string nodes_or_reason(const V& v, const F& f) {
  return shows_reason(v) ? "(" + wait_or_end_reason(v) + ")" : nodes(v, f);
}

std::string batch_host(const V& v, const F&) {
  if (v.job.spec->form == JobForm::Allocation) return v.job.spec->submit_host;
  return v.nodes.empty() ? "n/a" : v.nodes.front();
}

std::string min_memory(const V& v, const F& f) {
  const JobSpec& spec = *v.job.spec;
  const std::int64_t each_cpu = spec.memory_mb_per_cpu;
  if (spec.whole_memory) return "0";  // --mem=0
  return memory_units(each_cpu > 0 ? each_cpu : spec.memory_mb_per_node, f.convert_units);
}

std::int64_t min_cpus(const V& v) {
  return job_min_cpus(*v.job.spec);
}

std::string end_time(const V& v, const F& f) {
  const bool endless = is_live(v.job.state) && v.left_ms < 0;
  return endless ? "NONE" : moment(job_end(v, f.screen.now), f);
}

std::string priority_part(const V& v, const F&) {
  std::array<char, 64> text{};
  const double of_all = static_cast<double>(job_priority(v)) / 4'294'967'295.0;
  std::snprintf(text.data(), text.size(), "%16.14f", of_all);
  return text.data();
}

SortKey by_end(const V& v) {
  constexpr std::int64_t later = std::int64_t{1} << 60;
  return v.job.ended != Wall{} ? to_ms(v.job.ended) : later + v.left_ms;
}

// Sort key: the priority. A held job has a lower key than any other.
SortKey by_priority(const V& v) {
  return v.job.held ? std::numeric_limits<double>::lowest() : v.priority;
}

std::string pending_time(const V& v, const F& f) {
  const Wall until = v.job.started != Wall{} ? v.job.started : f.screen.now;
  return number(std::max<std::int64_t>(0, (to_ms(until) - to_ms(v.job.submitted)) / 1000));
}

SwitchesWish switches(const V& v) {
  return v.job.spec->terms->switches;
}

std::string name_of_group(const V& v, const F& f) {
  return f.group_name ? f.group_name(v.job.spec->gid) : number(v.job.spec->gid);
}

// Sort key: the job id. All rows of an array have the array's id, then the number of the task; the
// row of several pending tasks comes last.
SortKey by_id(const V& v) {
  constexpr std::int64_t several = 0xffffffff;
  const std::int64_t task = v.job.array_task >= 0 ? v.job.array_task : several;
  return (is_of_array(v.job) ? v.job.array_job.value : v.job.id.value) * (several + 1) + task;
}

std::int64_t or_last(std::int64_t limit_s) {
  return limit_s == 0 ? std::int64_t{1} << 40 : limit_s;
}

SortKey by_start(const V& v) {
  return or_last(to_ms(job_start(v)) / 1000);
}

SortKey by_left(const V& v) {
  return time_limit_s(v) == 0 ? or_last(0) : left_s(v);
}

SortKey by_limit(const V& v) {
  return or_last(time_limit_s(v));
}

SortKey by_used(const V& v) {
  return used_ms(v);
}

SortKey by_submitted(const V& v) {
  return to_ms(v.job.submitted);
}

SortKey by_job_id(const V& v) {
  return v.job.id.value;
}

std::string used(const V& v, const F&) {
  return slurm_clock_text(used_ms(v) / 1000);
}

std::string state(const V& v, const F&) {
  return std::string(name(v.job.state));
}

std::string short_state(const V& v, const F&) {
  return std::string(short_name(v.job.state));
}

std::string partition(const V& v, const F&) {
  return v.partition;
}

std::string job_name(const V& v, const F&) {
  return v.job.spec->name;
}

std::string user_name(const V& v, const F&) {
  return v.job.spec->user_name;
}

std::string job_id(const V& v, const F&) {
  return number(v.job.id.value);
}

std::string batch_flag(const V& v, const F&) {
  return v.job.spec->form == JobForm::Allocation ? "0" : "1";
}

std::string wait_status(const V& v, const F&) {
  return number(v.job.exit_code * 256 + v.job.exit_signal);
}

std::string shares_nodes(const V& v, const F&) {
  return job_sharing(*v.job.spec);
}

std::string next_to_one_another(const V& v, const F&) {
  return v.job.spec->contiguous ? "1" : "0";
}

std::string preferred_features(const V& v, const F&) {
  return or_null(v.job.spec->prefer);
}

std::string tres_per_node(const V& v, const F&) {
  return or_na(job_tres_per_node(*v.job.spec));
}

std::string reason(const V& v, const F&) {
  return wait_or_end_reason(v);
}

std::string asked_nodes(const V& v, const F&) {
  return node_list_text(v.job.spec->nodelist);
}

std::string input(const V& v, const F&) {
  return v.job.spec->input.empty() ? "/dev/null" : v.job.spec->input;
}

std::string tres(const V& v, const F&) {
  return job_tres(v);
}

using S = JobSpec;

// clang-format off
constexpr auto table = std::to_array<Field<V>>({
  {'a', "Account", "ACCOUNT", text_of<&S::account>, by<&S::account>},
  {0, "AccrueTime", "ACCRUE_TIME", moment_of<&Job::eligible>},
  {0, "admin_comment", "ADMIN_COMMENT", null},
  {0, "AllocNodes", "ALLOC_NODES", text_of<&S::submit_host>},
  {0, "AllocSID", "ALLOC_SID", zero},
  {'F', "ArrayJobID", "ARRAY_JOB_ID", array_job},
  {'K', "ArrayTaskID", "ARRAY_TASK_ID", array_task},
  {0, "AssocID", "ASSOC_ID", zero},
  {0, "BatchFlag", "BATCH_FLAG", batch_flag},
  {'B', "BatchHost", "EXEC_HOST", batch_host, by<batch_host>},
  {0, "BoardsPerNode", "BOARDS_PER_NODE", zero},
  {0, "BurstBuffer", "BURST_BUFFER", null},
  {0, "BurstBufferState", "BURST_BUFFER_STATE", null},
  {0, "Cluster", "CLUSTER", [](const V&, const F& f) { return f.cluster; }},
  {0, "ClusterFeature", "CLUSTER_FEATURES", null},
  {'o', "Command", "COMMAND",
   [](const V& v, const F&) { return or_null(job_command(*v.job.spec)); }},
  {'k', "Comment", "COMMENT", text_of<&S::comment>},
  {0, "Container", "CONTAINER", null},
  {0, "ContainerID", "CONTAINER_ID", null},
  {'O', "Contiguous", "CONTIGUOUS", next_to_one_another},
  {'I', "Cores", "CORES_PER_SOCKET", any, by_nothing},
  {'X', "CoreSpec", "CORE_SPEC", not_applicable},
  {0, "CPUsPerTask", "CPUS_PER_TASK", number_of<&S::cpus_per_task>},
  {0, "cpus-per-task", "CPUS_PER_TASK", number_of<&S::cpus_per_task>},
  {0, "cpus-per-tres", "CPUS_PER_TRES", gpus_of<&S::cpus_per_gpu>},
  {0, "Deadline", "DEADLINE",
   [](const V& v, const F& f) { return moment(v.job.spec->deadline, f); }},
  {0, "DelayBoot", "DELAY_BOOT", no_time},
  {'E', "Dependency", "DEPENDENCY",
   [](const V& v, const F&) { return or_null(job_dependencies(v)); }},
  {0, "DerivedEC", "DERIVED_EC", zero},
  {0, "EligibleTime", "ELIGIBLE_TIME", moment_of<&Job::eligible>},
  {'e', "EndTime", "END_TIME", end_time, by_end},
  {'x', "ExcNodes", "EXC_NODES",
   [](const V& v, const F&) { return node_list_text(v.job.spec->exclude); }},
  {0, "exit_code", "EXIT_CODE", wait_status},
  {'f', "Feature", "FEATURES", text_of<&S::constraint>, by<&S::constraint>},
  {'b', "Gres", "TRES_PER_NODE", tres_per_node},
  {'G', "GroupID", "GROUP", number_of<&S::gid>, by<&S::gid>},
  {'g', "GroupName", "GROUP", name_of_group, by<&S::gid>},
  {0, "HetJobID", "HET_JOB_ID", not_applicable},
  {0, "HetJobIDSet", "HET_JOB_ID_SET", not_applicable},
  {0, "HetJobOffset", "HET_JOB_OFFSET", not_applicable},
  {'i', "JobArrayID", "JOBID", array_id, by_id},
  {'A', "JobID", "JOBID", job_id, by_job_id},
  {0, "LastSchedEval", "LAST_SCHED_EVAL", not_applicable},
  {'W', "Licenses", "LICENSES", text_of<&S::licences>},
  {0, "MaxCPUs", "MAX_CPUS", counted<job_cpus>},
  {0, "MaxNodes", "MAX_NODES", counted<job_nodes>},
  {0, "MCSLabel", "MCSLABEL", null},
  {0, "mem-per-tres", "MEM_PER_TRES", gpus_of<&S::memory_mb_per_gpu>},
  {'c', "MinCPUs", "MIN_CPUS", counted<min_cpus>, by<min_cpus>},
  {'m', "MinMemory", "MIN_MEMORY", min_memory, by<&S::memory_mb_per_node>},
  {0, "MinTime", "TIME_MIN",
   [](const V& v, const F&) { return slurm_clock_text(v.job.spec->time_min_s); }},
  {'d', "MinTmpDisk", "MIN_TMP_DISK", zero, by_nothing},
  {'j', "Name", "NAME", job_name, by<&S::name>},
  {0, "Network", "NETWORK", null},
  {'y', "Nice", "NICE", number_of<&S::nice>, by<&S::nice>},
  {'N', "NodeList", "NODELIST", nodes, by<nodes>, Uncut::Both},
  {0, "NTPerBoard", "NTASKS_PER_BOARD", zero},
  {0, "NTPerCore", "NTASKS_PER_CORE", not_applicable},
  {0, "NTPerNode", "NTASKS_PER_NODE", number_of<&S::tasks_per_node>},
  {0, "NTPerSocket", "NTASKS_PER_SOCKET", not_applicable},
  {'C', "NumCPUs", "CPUS", counted<job_cpus>, by<job_cpus>},
  {'D', "NumNodes", "NODES", counted<job_nodes>, by<job_nodes>},
  {0, "NumTasks", "TASKS", number_of<&S::tasks>},
  {0, "NumTask", "TASKS", number_of<&S::tasks>},
  {0, "Origin", "ORIGIN", not_federated},
  {0, "OriginRaw", "ORIGIN_RAW", not_federated},
  {'h', "OverSubscribe", "OVER_SUBSCRIBE", shares_nodes},
  {0, "Shared", "OVER_SUBSCRIBE", shares_nodes},
  {0, "PackJobID", "HET_JOB_ID", not_applicable},
  {0, "PackJobIDSet", "HET_JOB_ID_SET", not_applicable},
  {0, "PackJobOffset", "HET_JOB_OFFSET", not_applicable},
  {'P', "Partition", "PARTITION", partition, by<partition>},
  {0, "PendingTime", "PENDING_TIME", pending_time},
  {0, "PreemptTime", "PREEMPT_TIME", not_applicable},
  {0, "Prefer", "PREFER", preferred_features},
  {'p', "Priority", "PRIORITY", priority_part, by_priority},
  {'Q', "PriorityLong", "PRIORITY", counted<job_priority>, by_priority},
  {0, "Profile", "PROFILE", always<'N', 'o', 't', 'S', 'e', 't'>},
  {'q', "QOS", "QOS", text_of<&S::qos>, by<&S::qos>},
  {'r', "Reason", "REASON", reason, by<reason>},
  {'R', "ReasonList", "NODELIST(REASON)", nodes_or_reason, by<nodes_or_reason>, Uncut::Nodes},
  {0, "Reboot", "REBOOT", zero},
  {'n', "ReqNodes", "REQ_NODES", asked_nodes, by<asked_nodes>},
  {0, "ReqSwitch", "REQ_SWITCH", [](const V& v, const F&) { return number(switches(v).count); }},
  {0, "Requeue", "REQUEUE",
   [](const V& v, const F&) { return number(v.job.spec->requeue ? 1 : 0); }},
  {'v', "Reservation", "RESERVATION", text_of<&S::reservation>, by<&S::reservation>},
  {0, "ResizeTime", "RESIZE_TIME", not_applicable},
  {0, "RestartCnt", "RESTART_COUNT", [](const V& v, const F&) { return number(v.job.restarts); }},
  {'Y', "SchedNodes", "SCHEDNODES", null, nullptr, Uncut::Both},
  {'z', "SCT", "S:C:T", always<'*', ':', '*', ':', '*'>, by_nothing},
  {'s', "SelectJobInfo", "", nothing},
  {0, "SiblingsActive", "ACTIVE_SIBLINGS", not_federated},
  {0, "SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", not_federated},
  {0, "SiblingsViable", "VIABLE_SIBLINGS", not_federated},
  {0, "SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", not_federated},  // as Slurm spells it
  {'H', "Sockets", "SOCKETS_PER_NODE", any, by_nothing},
  {0, "SPerBoard", "SOCKETS_PER_BOARD", zero},
  {'S', "StartTime", "START_TIME",
   [](const V& v, const F& f) { return moment(job_start(v), f); }, by_start},
  {'T', "State", "STATE", state, by<state>},
  {'t', "StateCompact", "ST", short_state, by<short_state>},
  {0, "StdErr", "STDERR", [](const V& v, const F&) { return job_output(v, true); }},
  {0, "StdIn", "STDIN", input},
  {0, "StdOut", "STDOUT", [](const V& v, const F&) { return job_output(v, false); }},
  {'V', "SubmitTime", "SUBMIT_TIME", moment_of<&Job::submitted>, by_submitted},
  {0, "system_comment", "SYSTEM_COMMENT",
   [](const V& v, const F&) { return or_null(v.system_comment); }},
  {'J', "Threads", "THREADS_PER_CORE", any, by_nothing},
  {'L', "TimeLeft", "TIME_LEFT", left, by_left, Uncut::Text},
  {'l', "TimeLimit", "TIME_LIMIT", limit, by_limit, Uncut::Text},
  {'M', "TimeUsed", "TIME", used, by_used, Uncut::Text},
  {0, "Tres", "TRES_ALLOC", tres},
  {0, "tres-alloc", "TRES_ALLOC", tres},
  {0, "tres-bind", "TRES_BIND", not_applicable},
  {0, "tres-freq", "TRES_FREQ", not_applicable},
  {0, "tres-per-job", "TRES_PER_JOB", gpus_of<&S::gpus>},
  {0, "tres-per-node", "TRES_PER_NODE", tres_per_node},
  {0, "tres-per-socket", "TRES_PER_SOCKET", not_applicable},
  {0, "tres-per-task", "TRES_PER_TASK", gpus_of<&S::gpus_per_task>},
  {'U', "UserID", "UID", number_of<&S::uid>, by<&S::uid>},
  {'u', "UserName", "USER", user_name, by<&S::user_name>},
  {0, "Wait4Switch", "WAIT4SWITCH",
   [](const V& v, const F&) { return slurm_clock_text(switches(v).wait_s.value_or(0)); }},
  {'w', "WCKey", "WCKEY", text_of<&S::wckey>, by<&S::wckey>},
  {'Z', "WorkDir", "WORK_DIR", text_of<&S::work_dir>},
});
// clang-format on

}  // namespace
}  // namespace job_field

std::span<const Field<JobView>> job_fields() {
  return job_field::table;
}

bool is_brief(const Field<JobView>& field) {
  constexpr auto brief = std::to_array<std::string_view>(
      {"Account", "ArrayJobID",   "ArrayTaskID", "Cluster",     "EndTime",    "JobArrayID",
       "JobID",   "Licenses",     "MaxCPUs",     "MaxNodes",    "Name",       "NodeList",
       "NumCPUs", "NumNodes",     "NumTasks",    "Partition",   "Priority",   "PriorityLong",
       "QOS",     "Reason",       "ReasonList",  "Reservation", "SchedNodes", "StartTime",
       "State",   "StateCompact", "SubmitTime",  "TimeLeft",    "TimeLimit",  "TimeUsed",
       "UserID",  "UserName"});
  return std::ranges::find(brief, field.name) != brief.end();
}

}  // namespace cox
