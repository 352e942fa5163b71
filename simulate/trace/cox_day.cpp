// Reads a day of a live cluster, as docs/simulation.md exports it. Times are seconds since 1970.
#include <limits>

#include "common/resources/gpu_wish.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

constexpr std::int64_t cpus_per_task_max = 1'000'000;

// Returns the accepted GPU types of the row. Ignores their relative speeds: in a simulation a job
// runs as long as it ran.
std::vector<std::string> gpu_types_in(CsvTable& table) {
  std::vector<std::string> types;
  if (!table.has("gpu_type")) return types;
  const auto wishes = parse_gpu_types(table.text("gpu_type"));
  if (!wishes) table.record_problem("gpu_type: " + wishes.refusal().fact);
  if (wishes)
    for (const GpuTypeWish& wish : *wishes) types.push_back(wish.type);
  return types;
}

// Reads the columns prefer, min_cpus and contiguous; days exported by earlier versions lack them.
void read_node_wishes(CsvTable& table, TraceJob& job) {
  if (table.has("prefer")) job.prefer = table.text("prefer");
  if (table.has("min_cpus")) job.min_cpus = table.whole_number_in("min_cpus", 0, cpus_per_task_max);
  if (table.has("contiguous")) job.contiguous = table.whole_number_in("contiguous", 0, 1) == 1;
}

TraceJob job_of(CsvTable& table) {
  TraceJob job;
  job.name = table.text("job_id");
  job.submit = table.seconds("eligible");
  const Milliseconds started = table.seconds("started");
  const Milliseconds ended = table.seconds("ended");
  if (started < job.submit || ended < started)
    table.record_problem("eligible, started and ended are not in this order");
  job.recorded_wait = started - job.submit;
  job.recorded_completion = ended - job.submit;
  job.run = table.seconds("run_s");
  const Milliseconds limit = table.seconds("time_limit_s");
  if (limit.count() > 0) job.estimate = std::max(limit, job.run);
  job.nodes = table.whole_number_in("nodes", 1, count_max);
  job.tasks = table.whole_number_in("tasks", 1, count_max);
  job.cpu_milli_per_task = table.whole_number_in("cpus_per_task", 1, cpus_per_task_max) * 1'000;
  job.memory_mb_per_node = table.whole_number_in("memory_mb", 0, count_max);
  job.gpus = table.whole_number_in("gpus", 0, count_max);
  if (table.has("gpu_milli"))
    job.gpu_milli = table.whole_number_in("gpu_milli", 1, whole_gpu_milli);
  if (job.gpu_milli < whole_gpu_milli && job.gpus > 1)
    table.record_problem("gpu_milli is of one GPU, and gpus is " + std::to_string(job.gpus));
  job.gpu_types = gpu_types_in(table);
  constexpr auto tier_max = std::numeric_limits<std::int32_t>::max();
  job.tier = static_cast<std::int32_t>(table.whole_number_in("tier", -tier_max, tier_max));
  job.partition = table.text("partition");
  job.constraint = table.text("constraint");
  read_node_wishes(table, job);
  job.account = table.text("account");
  job.user = table.text("user");
  return job;
}

}  // namespace

Result<Trace> read_cox_day(std::string_view text) {
  auto opened = CsvTable::open(
      text, {"job_id", "eligible", "started", "ended", "run_s", "nodes", "tasks", "cpus_per_task",
             "memory_mb", "gpus", "gpu_type", "time_limit_s", "tier", "partition", "constraint"});
  if (!opened) return opened.refusal();
  Trace trace;
  while (opened->next()) {
    TraceJob job = job_of(*opened);
    const bool ran = job.run.count() > 0;
    if (ran) trace.jobs.push_back(std::move(job));
    if (!ran) ++trace.skipped;
  }
  if (opened->problem()) return *opened->problem();
  return trace;
}

}  // namespace cox::simulate
