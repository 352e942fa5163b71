#include "client/slurm/list/step_fields.h"

#include <array>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/time_style.h"
#include "common/job/job_ref.h"

namespace cox {
namespace step_field {
namespace {

using V = StepRow;
using F = FieldView;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

bool is_script(const V& v) {
  return v.step.key.number == SqueueRequest::batch_step;
}

template <char... text>
std::string always(const V&, const F&) {
  return {text...};
}
constexpr auto null = always<'(', 'n', 'u', 'l', 'l', ')'>;

std::string job_id(const V& v, const F&) {
  return number(v.step.key.attempt.job.value);
}

std::string step_id(const V& v, const F& f) {
  const bool of_array = v.array_job != JobId{};
  const std::string job =
      of_array ? format_job_ref(v.array_job, number(v.array_task)) : job_id(v, f);
  return job + "." + (is_script(v) ? "batch" : number(v.step.key.number));
}

std::string step_name(const V& v, const F&) {
  return v.step.spec.name;
}

std::string nodes(const V& v, const F&) {
  std::vector<std::string> names;
  for (const StepNode& node : v.step.nodes) names.push_back(node.node);
  return node_list_text(names);
}

std::int64_t cpus(const V& v) {
  std::int64_t sum = 0;
  for (const StepNode& node : v.step.nodes) sum += node.cpus;
  return sum;
}

std::int64_t gpus(const V& v) {
  std::int64_t sum = 0;
  for (const StepNode& node : v.step.nodes) sum += std::ssize(node.gpus);
  return sum;
}

std::string limit(const V& v, const F&) {
  const std::int64_t limit_s = v.step.spec.time_limit_s;
  return limit_s == 0 ? "UNLIMITED" : slurm_clock_text(limit_s);
}

std::string used(const V& v, const F&) {
  return slurm_clock_text(v.ran_ms / 1000);
}

std::string started(const V& v, const F& f) {
  return v.step.started == Wall{} ? "N/A" : styled_moment(v.step.started, f.time_style, f.screen);
}

std::string tasks(const V& v, const F&) {
  return number(v.step.tasks);
}

std::string partition(const V& v, const F&) {
  return v.partition;
}

std::string user_name(const V& v, const F&) {
  return v.user_name;
}

std::string array_job(const V& v, const F&) {
  return number(v.array_job.value);
}

std::string array_task(const V& v, const F&) {
  return v.array_job == JobId{} ? "N/A" : number(v.array_task);
}

std::string tres(const V& v, const F&) {
  return gpus(v) > 0 ? "gres/gpu:" + number(gpus(v)) : "(null)";
}

std::string tres_per_node(const V& v, const F&) {
  const std::int64_t each = v.step.spec.gpus_per_node;
  return each > 0 ? "gres/gpu:" + number(each) : "(null)";
}

std::string tres_per_task(const V& v, const F&) {
  const std::int64_t each = v.step.spec.gpus_per_task;
  return each > 0 ? "gres/gpu:" + number(each) : "(null)";
}

// Sort key: the job, then the number of the step. The batch script follows the steps of its job.
SortKey by_id(const V& v) {
  constexpr std::int64_t last = 0x7fffffff;
  return v.step.key.attempt.job.value * (last + 1) + (is_script(v) ? last : v.step.key.number);
}

template <std::string (*text)(const V&, const F&)>
SortKey by(const V& v) {
  return text(v, {});
}

// clang-format off
constexpr auto table = std::to_array<Field<V>>({
  {0, "ArrayJobID", "ARRAY_JOB_ID", array_job},
  {0, "ArrayTaskID", "ARRAY_TASK_ID", array_task},
  {0, "Cluster", "CLUSTER", [](const V&, const F& f) { return f.cluster; }},
  {0, "Container", "CONTAINER", null},
  {0, "ContainerID", "CONTAINER_ID", null},
  {0, "CPUFreq", "CPU_FREQ", always<'0', '-', '0', ':', '0'>},
  {0, "cpus-per-tres", "CPUS_PER_TRES", null},
  {'b', "Gres", "TRES_PER_NODE", tres_per_node},
  {'i', "StepID", "STEPID", step_id, by_id},
  {'j', "StepName", "NAME", step_name, by<step_name>},
  {0, "JobID", "JOB_ID", job_id},
  {'l', "TimeLimit", "TIME_LIMIT", limit,
   [](const V& v) -> SortKey { return v.step.spec.time_limit_s; }, Uncut::Text},
  {0, "mem-per-tres", "MEM_PER_TRES", null},
  {0, "Network", "NETWORK", null},
  {0, "NumCPUs", "NUM_CPUS", [](const V& v, const F&) { return number(cpus(v)); }},
  {'u', "UserName", "USER", user_name, by<user_name>},
  {'A', "NumTasks", "TASKS", tasks, [](const V& v) -> SortKey { return v.step.tasks; }},
  {0, "NumTask", "TASKS", tasks},
  {'M', "TimeUsed", "TIME", used, [](const V& v) -> SortKey { return v.ran_ms; }, Uncut::Text},
  {'N', "Nodes", "NODELIST", nodes, by<nodes>, Uncut::Both},
  {'P', "Partition", "PARTITION", partition, by<partition>},
  {0, "ResvPorts", "RESERVED_PORTS", null},
  {'S', "StartTime", "START_TIME", started,
   [](const V& v) -> SortKey { return to_ms(v.step.started); }},
  {0, "StepState", "STATE", [](const V& v, const F&) { return std::string(name(v.step.state)); }},
  {0, "tres-bind", "TRES_BIND", null},
  {0, "tres-freq", "TRES_FREQ", null},
  {0, "tres-per-job", "TRES_PER_STEP", tres},
  {0, "tres-per-node", "TRES_PER_NODE", tres_per_node},
  {0, "tres-per-socket", "TRES_PER_SOCKET", null},
  {0, "tres-per-step", "TRES_PER_STEP", tres},
  {0, "tres-per-task", "TRES_PER_TASK", tres_per_task},
  {'U', "UserID", "UID", [](const V& v, const F&) { return number(v.uid); },
   [](const V& v) -> SortKey { return std::int64_t{v.uid}; }},
});
// clang-format on

}  // namespace
}  // namespace step_field

std::span<const Field<StepRow>> step_fields() {
  return step_field::table;
}

}  // namespace cox
