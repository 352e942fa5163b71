#include "client/slurm/records/record_columns.h"

#include <algorithm>
#include <array>

#include "client/slurm/records/record_text.h"
#include "common/job/job_ref.h"

namespace cox {

std::pair<std::int32_t, std::int32_t> derived_exit_of(const RecordRow& row) {
  std::int32_t code = 0;
  std::int32_t signal = 0;
  for (const Step& step : row.record->steps) {
    if (step.exit_code < code || step.ended == Wall{}) continue;
    if (step.exit_code == code && step.exit_signal == 0) continue;
    code = step.exit_code;
    signal = step.exit_signal;
  }
  return {code, signal};
}

std::int64_t planned_s(const RecordRow& row, const SacctOptions& options) {
  const Job& job = row.record->job;
  const Wall eligible = std::max(job.eligible, job.submitted);
  const Wall until = row.start != Wall{} ? row.start
                     : row.end != Wall{} ? row.end
                                         : options.here.now;
  return std::max<std::int64_t>(0, (until - eligible).count() / 1000);
}

namespace record_column {
namespace {

using Row = RecordRow;
using With = SacctOptions;
using Kind = RecordRow::Kind;

std::string none(const Row&, const With&) {
  return "";
}
std::string zero_of_job(const Row& r, const With&) {
  return r.is_job() ? "0" : "";
}

// Returns the text of a field of the job's request. Empty in the rows of its steps.
template <auto field>
std::string spec_text(const Row& r, const With&) {
  return r.is_job() ? r.spec().*field : "";
}
std::string number_of_job(const Row& r, std::int64_t number) {
  return r.is_job() ? std::to_string(number) : "";
}

std::string gpu_text(std::int64_t gpu_milli) {
  return std::to_string((gpu_milli + gpu_whole - 1) / gpu_whole);
}

std::string tres_text(std::int64_t cpus, std::int64_t gpu_milli, std::int64_t memory_mb,
                      std::int64_t nodes, const With& o) {
  if (nodes == 0) return "";
  std::string out = "cpu=" + std::to_string(cpus);
  if (gpu_milli > 0) out += ",gres/gpu=" + gpu_text(gpu_milli);
  if (memory_mb > 0) out += ",mem=" + amount_text(memory_mb, 'M', o.layout);
  return out + ",node=" + std::to_string(nodes);
}
std::string alloc_tres(const Row& r, const With& o) {
  return tres_text(r.cpus, r.gpu_milli, r.memory_mb, r.nodes, o);
}

std::int64_t asked_cpus(const Row& r) {
  if (!r.is_job()) return r.cpus;
  return r.spec().tasks * r.spec().cpus_per_task;
}
std::int64_t asked_memory_mb(const Row& r) {
  const JobSpec& spec = r.spec();
  if (spec.memory_mb_per_node > 0) return spec.memory_mb_per_node * spec.nodes;
  if (spec.memory_mb_per_cpu > 0) return spec.memory_mb_per_cpu * asked_cpus(r);
  return r.memory_mb;
}
std::string req_mem(const Row& r, const With& o) {
  return r.is_job() ? amount_text(asked_memory_mb(r), 'M', o.layout) : "";
}
std::string req_tres(const Row& r, const With& o) {
  if (!r.is_job()) return "";
  const JobSpec& spec = r.spec();
  const std::int64_t gpus = spec.gpus > 0 ? spec.gpus : spec.gpus_per_node * spec.nodes;
  return tres_text(asked_cpus(r), gpus * spec.gpu_milli, asked_memory_mb(r), spec.nodes, o);
}

std::string cpus_text(const Row& r, const With&) {
  return std::to_string(r.cpus);
}
std::string nodes_of_job(const Row& r) {
  return std::to_string(r.nodes > 0 || !r.is_job() ? r.nodes : r.spec().nodes);
}

std::string moment(Wall t, const With& o) {
  return moment_text_as(o.time_format, t, o.here);
}
std::string start_text(const Row& r, const With& o) {
  return r.never_began ? "None" : moment(r.start, o);
}

std::string exit_text(std::int32_t code, std::int32_t signal) {
  return std::to_string(code) + ":" + std::to_string(signal);
}
std::string derived_exit(const Row& r, const With&) {
  if (!r.is_job()) return "";
  const auto [code, signal] = derived_exit_of(r);
  return exit_text(code, signal);
}

std::string cpu_time(const Row& r, const With&) {
  return span_text(r.elapsed_s * r.cpus);
}

std::string limit_text(const Row& r, const With&) {
  if (!r.is_job()) return "";
  const std::int64_t limit_s = time_limit_s(*r.record);
  return limit_s == 0 ? "UNLIMITED" : span_text(limit_s);
}
std::string limit_raw(const Row& r, const With&) {
  if (!r.is_job()) return "";
  const std::int64_t limit_s = time_limit_s(*r.record);
  return limit_s == 0 ? "UNLIMITED" : std::to_string((limit_s + 59) / 60);
}

std::int64_t cpu_ms(const StepUsage& usage) {
  return usage.user_cpu_ms + usage.system_cpu_ms;
}
bool is_measured(const Row& r) {
  return !r.is_job() && r.took && r.tasks > 0;
}
std::string average_cpu(const Row& r, const With&) {
  return is_measured(r) ? span_text(cpu_ms(r.usage) / r.tasks / 1000) : "";
}
// Returns whether the use of the row was measured and it has one task. Then the use of the task is
// the minimum, the maximum and the average.
bool is_one_task(const Row& r) {
  return is_measured(r) && r.tasks == 1;
}
std::string of_one_task_cpu(const Row& r, const With& o) {
  return is_one_task(r) ? average_cpu(r, o) : "";
}
std::string rss_text(const Row& r, const With& o) {
  return amount_text(r.usage.max_rss_kb * 1024, 0, o.layout);
}
std::string max_rss(const Row& r, const With& o) {
  return is_measured(r) ? rss_text(r, o) : "";
}
std::string of_one_task_rss(const Row& r, const With& o) {
  return is_one_task(r) ? rss_text(r, o) : "";
}
std::string node_of_one(const Row& r, const With&) {
  return is_measured(r) && r.nodes == 1 ? r.nodelist : "";
}
std::string task_of_one(const Row& r, const With&) {
  return is_one_task(r) ? "0" : "";
}

// Returns whether the use of each task of the step was measured. For steps that an older version of
// Coxswain recorded, it was not.
bool has_figures(const Row& r) {
  return is_measured(r) && r.figures.tasks > 0;
}
std::string average_rss(const Row& r, const With& o) {
  if (!has_figures(r)) return of_one_task_rss(r, o);
  return amount_text(r.figures.rss_kb * 1024 / r.figures.tasks, 0, o.layout);
}
std::string least_cpu(const Row& r, const With& o) {
  return has_figures(r) ? span_text(r.figures.least_cpu_ms.amount / 1000) : of_one_task_cpu(r, o);
}
std::string node_of_one_task(const Row& r, const With& o) {
  return is_one_task(r) ? node_of_one(r, o) : "";
}
template <std::int64_t TaskFigures::*sum>
std::string average_bytes(const Row& r, const With& o) {
  return has_figures(r) ? amount_text(r.figures.*sum / r.figures.tasks, 0, o.layout) : "";
}
template <TaskAmount TaskFigures::*most>
std::string most_bytes(const Row& r, const With& o) {
  return has_figures(r) ? amount_text((r.figures.*most).amount, 0, o.layout) : "";
}
// task_of() and node_of() return the task with the given extreme, such as the most memory, and its
// node. `otherwise` returns the text for rows without figures of each task.
template <TaskAmount TaskFigures::*amount, std::string (*otherwise)(const Row&, const With&)>
std::string task_of(const Row& r, const With& o) {
  return has_figures(r) ? std::to_string((r.figures.*amount).task) : otherwise(r, o);
}
template <TaskAmount TaskFigures::*amount, std::string (*otherwise)(const Row&, const With&)>
std::string node_of(const Row& r, const With& o) {
  if (!has_figures(r) || r.step == nullptr) return otherwise(r, o);
  const auto ranks = ranks_on_nodes(r.step->nodes, r.step->spec);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (std::ranges::find(ranks[i], (r.figures.*amount).task) != ranks[i].end())
      return r.step->nodes[i].node;
  return "";
}

std::string usage_in(const Row& r, const With& o, bool cpu, bool memory) {
  std::string out;
  if (cpu) out = "cpu=" + span_text(cpu_ms(r.usage) / 1000);
  if (memory) out += (out.empty() ? "mem=" : ",mem=") + rss_text(r, o);
  return out;
}

std::string layout_text(const Row& r, const With&) {
  if (r.step == nullptr) return r.is_job() ? "" : "Unknown";
  switch (r.step->spec.distribution) {
    case Distribution::Block: return "Block";
    case Distribution::Cyclic: return "Cyclic";
    case Distribution::Plane: return "Plane";
    case Distribution::Arbitrary: return "Arbitrary";
  }
  return "";
}

std::string group_text(const Row& r, const With& o) {
  if (!r.is_job()) return "";
  const auto known = o.group_names.find(r.spec().gid);
  return known == o.group_names.end() ? std::to_string(r.spec().gid) : known->second;
}
std::string partition_text(const Row& r, const With&) {
  if (!r.is_job()) return "";
  const std::string& where = r.record->run.partition;
  return where.empty() ? r.spec().partition : where;
}
std::string reason_text(const Row& r, const With&) {
  if (!r.is_job()) return "";
  return r.record->reason.empty() ? "None" : r.record->reason;
}
std::string failed_node(const Row& r, const With&) {
  const RunRecord& run = r.record->run;
  const bool lost = r.is_job() && run.stop == StopWhy::NodeLost && run.nodes == 1;
  return lost ? run.nodelist : "";
}

using F = TaskFigures;

constexpr auto columns = std::to_array<RecordColumn>({
    {"Account", 10, false, [](const Row& r, const With&) { return r.spec().account; }},
    {"AdminComment", 15, false, none},
    {"AllocCPUS", 10, true, cpus_text},
    {"AllocNodes", 10, false, [](const Row& r, const With&) { return std::to_string(r.nodes); }},
    {"AllocTRES", 10, false, alloc_tres},
    {"AssocID", 7, true, none},
    {"AveCPU", 10, false, average_cpu},
    {"AveCPUFreq", 10, false, none},
    {"AveDiskRead", 14, false, average_bytes<&F::read_bytes>},
    {"AveDiskWrite", 14, false, average_bytes<&F::written_bytes>},
    {"AvePages", 10, false, none},
    {"AveRSS", 10, false, average_rss},
    {"AveVMSize", 10, false, none},
    {"BlockID", 16, false, none},
    {"Cluster", 10, false, [](const Row&, const With& o) { return o.cluster; }},
    {"Comment", 14, false, spec_text<&JobSpec::comment>},
    {"Constraints", 19, false, spec_text<&JobSpec::constraint>},
    {"ConsumedEnergy", 14, false, zero_of_job},
    {"ConsumedEnergyRaw", 17, true, zero_of_job},
    {"Container", 19, false, none},
    {"CPUTime", 10, false, cpu_time},
    {"CPUTimeRAW", 10, true,
     [](const Row& r, const With&) { return std::to_string(r.elapsed_s * r.cpus); }},
    {"DBIndex", -21, true,
     [](const Row& r, const With&) { return std::to_string(r.record->job.id.value); }},
    {derived_exit_column, 15, false, derived_exit},
    {"Elapsed", 10, false, [](const Row& r, const With&) { return span_text(r.elapsed_s); }},
    {"ElapsedRaw", 10, true,
     [](const Row& r, const With&) { return std::to_string(r.elapsed_s); }},
    {"Eligible", 19, false,
     [](const Row& r, const With& o) {
       return moment(r.is_job() ? r.record->job.eligible : r.start, o);
     }},
    {"End", 19, false, [](const Row& r, const With& o) { return moment(r.end, o); }},
    {"ExitCode", 8, false,
     [](const Row& r, const With&) { return exit_text(r.exit_code, r.exit_signal); }},
    {"Extra", 14, false, none},
    {"FailedNode", 8, false, failed_node},
    {"Flags", 19, false, none},
    {"GID", 6, true, [](const Row& r, const With&) { return number_of_job(r, r.spec().gid); }},
    {"Group", 9, false, group_text},
    {"JobID", -12, false, [](const Row& r, const With&) { return r.id; }},
    {"JobIDRaw", -12, false, [](const Row& r, const With&) { return r.raw_id; }},
    {"JobName", 10, false, [](const Row& r, const With&) { return r.name; }},
    {"Layout", 9, false, layout_text},
    {"Licenses", 10, false, spec_text<&JobSpec::licences>},
    {"MaxDiskRead", 12, false, most_bytes<&F::most_read_bytes>},
    {"MaxDiskReadNode", 15, false, node_of<&F::most_read_bytes, none>},
    {"MaxDiskReadTask", 15, true, task_of<&F::most_read_bytes, none>},
    {"MaxDiskWrite", 12, false, most_bytes<&F::most_written_bytes>},
    {"MaxDiskWriteNode", 16, false, node_of<&F::most_written_bytes, none>},
    {"MaxDiskWriteTask", 16, true, task_of<&F::most_written_bytes, none>},
    {"MaxPages", 8, false, none},
    {"MaxPagesNode", 12, false, none},
    {"MaxPagesTask", 14, true, none},
    {"MaxRSS", 10, false, max_rss},
    {"MaxRSSNode", 10, false, node_of<&F::most_rss_kb, node_of_one>},
    {"MaxRSSTask", 10, true, task_of<&F::most_rss_kb, task_of_one>},
    {"MaxVMSize", 10, false, none},
    {"MaxVMSizeNode", 14, false, none},
    {"MaxVMSizeTask", 14, true, none},
    {"McsLabel", 12, false, none},
    {"MinCPU", 10, false, least_cpu},
    {"MinCPUNode", 10, false, node_of<&F::least_cpu_ms, node_of_one_task>},
    {"MinCPUTask", 10, true, task_of<&F::least_cpu_ms, task_of_one>},
    {"NCPUS", 10, true, cpus_text},
    {"NNodes", 8, true, [](const Row& r, const With&) { return nodes_of_job(r); }},
    {"NodeList", 15, false, [](const Row& r, const With&) { return r.nodelist; }},
    {"NTasks", 8, true,
     [](const Row& r, const With&) { return r.tasks < 0 ? "" : std::to_string(r.tasks); }},
    {"Partition", 10, false, partition_text},
    {"Planned", 10, false,
     [](const Row& r, const With& o) { return r.is_job() ? span_text(planned_s(r, o)) : ""; }},
    {"PlannedCPU", 10, false,
     [](const Row& r, const With& o) {
       return r.is_job() ? span_text(planned_s(r, o) * asked_cpus(r)) : "";
     }},
    {"PlannedCPURAW", 13, true,
     [](const Row& r, const With& o) {
       return number_of_job(r, planned_s(r, o) * asked_cpus(r));
     }},
    {"Priority", 10, true, none},
    {"QOS", 10, false, spec_text<&JobSpec::qos>},
    {"QOSRAW", 6, true, none},
    {"Reason", 22, false, reason_text},
    {"ReqCPUFreq", 10, false, none},
    {"ReqCPUFreqGov", 13, false, none},
    {"ReqCPUFreqMax", 13, false, none},
    {"ReqCPUFreqMin", 13, false, none},
    {"ReqCPUS", 8, true,
     [](const Row& r, const With&) { return std::to_string(asked_cpus(r)); }},
    {"ReqMem", 10, false, req_mem},
    {"ReqNodes", 8, false,
     [](const Row& r, const With&) {
       return std::to_string(r.is_job() ? r.spec().nodes : r.nodes);
     }},
    {"ReqTRES", 10, false, req_tres},
    {"Reservation", 20, false, spec_text<&JobSpec::reservation>},
    {"ReservationId", 8, true, none},
    {"Start", 19, false, start_text},
    {"State", 10, false, [](const Row& r, const With&) { return r.state; }},
    {"Submit", 19, false,
     [](const Row& r, const With& o) {
       return moment(r.is_job() ? r.record->job.submitted : r.start, o);
     }},
    {"SubmitLine", 20, false, none},
    {"Suspended", 10, false, [](const Row& r, const With&) { return span_text(r.suspended_s); }},
    {"SystemComment", 15, false, none},
    {"SystemCPU", 10, false,
     [](const Row& r, const With&) { return cpu_text(r.usage.system_cpu_ms); }},
    {"Timelimit", 10, false, limit_text},
    {"TimelimitRaw", 10, false, limit_raw},
    {"TotalCPU", 10, false, [](const Row& r, const With&) { return cpu_text(cpu_ms(r.usage)); }},
    {"TRESUsageInAve", 14, false,
     [](const Row& r, const With& o) { return is_one_task(r) ? usage_in(r, o, true, true) : ""; }},
    {"TRESUsageInMax", 14, false,
     [](const Row& r, const With& o) {
       return is_measured(r) ? usage_in(r, o, r.tasks == 1, true) : "";
     }},
    {"TRESUsageInMaxNode", 18, false,
     [](const Row& r, const With& o) {
       const std::string node = node_of_one(r, o);
       return node.empty() ? "" : "mem=" + node;
     }},
    {"TRESUsageInMaxTask", 18, false,
     [](const Row& r, const With&) -> std::string { return is_one_task(r) ? "mem=0" : ""; }},
    {"TRESUsageInMin", 14, false,
     [](const Row& r, const With& o) { return is_one_task(r) ? usage_in(r, o, true, true) : ""; }},
    {"TRESUsageInMinNode", 18, false, none},
    {"TRESUsageInMinTask", 18, false, none},
    {"TRESUsageInTot", 14, false,
     [](const Row& r, const With& o) {
       return is_measured(r) ? usage_in(r, o, true, r.tasks == 1) : "";
     }},
    {"TRESUsageOutAve", 15, false, none},
    {"TRESUsageOutMax", 15, false, none},
    {"TRESUsageOutMaxNode", 19, false, none},
    {"TRESUsageOutMaxTask", 19, false, none},
    {"TRESUsageOutMin", 15, false, none},
    {"TRESUsageOutMinNode", 19, false, none},
    {"TRESUsageOutMinTask", 19, false, none},
    {"TRESUsageOutTot", 15, false, none},
    {"UID", 6, true, [](const Row& r, const With&) { return number_of_job(r, r.spec().uid); }},
    {"User", 9, false, spec_text<&JobSpec::user_name>},
    {"UserCPU", 10, false,
     [](const Row& r, const With&) { return cpu_text(r.usage.user_cpu_ms); }},
    {"WCKey", 10, false, spec_text<&JobSpec::wckey>},
    {"WCKeyID", 10, true, none},
    {"WorkDir", 20, false, spec_text<&JobSpec::work_dir>},
});

}  // namespace
}  // namespace record_column

std::span<const RecordColumn> record_columns() {
  return record_column::columns;
}

}  // namespace cox
