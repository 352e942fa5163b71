// Reads the pod list of Alibaba's cluster-trace-gpu-v2023: each row is a job on one node.
#include <string>

#include "common/base/text.h"
#include "simulate/trace/lines.h"
#include "simulate/trace/readers.h"

namespace cox::simulate {
namespace {

constexpr std::int64_t milli_max = 1'000'000'000;
constexpr std::int64_t gpus_max = 64;

std::vector<std::string> split_types(std::string_view text) {
  std::vector<std::string> types;
  while (!text.empty()) {
    const std::string_view type = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(type.size() + 1, text.size()));
    if (!type.empty()) types.emplace_back(type);
  }
  return types;
}

}  // namespace

Result<Trace> read_openb(std::string_view text) {
  auto opened = CsvTable::open(text, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"});
  if (!opened) return opened.refusal();
  CsvTable& table = *opened;
  Trace trace;
  while (table.next()) {
    TraceJob job;
    job.name = table.text("name");
    job.nodes = 1;
    job.cpu_milli_per_task = table.whole_number_in("cpu_milli", 0, milli_max);
    job.memory_mb_per_node = table.whole_number_in("memory_mib", 0, count_max);
    job.gpus = table.whole_number_in("num_gpu", 0, gpus_max);
    if (job.gpus == 1) job.gpu_milli = table.whole_number_in("gpu_milli", 1, 1'000);
    job.gpu_types = split_types(table.text("gpu_spec"));
    if (table.has("creation_time")) job.submit = table.seconds("creation_time");
    if (table.has("deletion_time")) {
      const Milliseconds deleted = table.seconds("deletion_time");
      if (deleted < job.submit) table.record_problem("deletion_time is before creation_time");
      job.run = deleted - job.submit;
    }
    trace.jobs.push_back(std::move(job));
  }
  if (table.problem()) return *table.problem();
  return trace;
}

}  // namespace cox::simulate
