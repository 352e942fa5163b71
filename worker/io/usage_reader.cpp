#include "worker/io/usage_reader.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/process_text.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/process_identity.h"
#include "worker/supervisor/rank_environment.h"

namespace cox {
namespace {

constexpr std::size_t small_file_bytes_max = 16384;
constexpr std::size_t environ_bytes_max = 2 * limits::environment_bytes_max;
constexpr std::size_t processes_max = 10'000;  // in one answer
constexpr std::string_view step_daemon = "cox-stepd";

std::int32_t number_of(const std::string& environment, std::string_view name, std::int32_t none) {
  const auto value = entry_value(environment, name);
  if (!value) return none;
  const auto number = parse_count(*value, 0, limits::tasks_per_job_max);
  return number ? static_cast<std::int32_t>(*number) : none;
}

// Returns the usage of a process. None: the process has ended, or it is the step daemon.
std::optional<ProcessSample> sample_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const auto stat = read_file(folder + "/stat", small_file_bytes_max);
  const auto status = read_file(folder + "/status", small_file_bytes_max);
  const auto environment = read_file(folder + "/environ", environ_bytes_max);
  if (!stat || !status || !environment) return std::nullopt;
  const auto usage = parse_process_usage(*stat);
  if (!usage || usage->name == step_daemon) return std::nullopt;
  const std::string io = read_file(folder + "/io", small_file_bytes_max).value_or("");
  ProcessSample sample;
  sample.pid = pid;
  sample.step = number_of(*environment, "SLURM_STEP_ID", -1);
  sample.task = number_of(*environment, "SLURM_PROCID", 0);
  sample.cpu_ms = usage->cpu_ticks * 1000 / ::sysconf(_SC_CLK_TCK);
  sample.rss_kb = number_of_line(*status, "VmHWM:");
  sample.vsize_kb = usage->vsize_bytes / 1024;
  // These are all bytes read and written, also from and to the page cache. Slurm counts the same.
  sample.read_bytes = number_of_line(io, "rchar:");
  sample.written_bytes = number_of_line(io, "wchar:");
  sample.pages = usage->major_faults;
  return sample;
}

}  // namespace

Reply sample_usage(std::int64_t number, const std::string& folder) {
  const auto pids = living_marked(attempt_mark(folder));
  if (!pids)
    return {number, Refused{{"the processes of the job cannot be listed now", "try again"}, true}};
  UsageSample sampled;
  for (const pid_t pid : *pids)
    if (const auto sample = sample_of(pid)) sampled.processes.push_back(*sample);
  std::ranges::sort(sampled.processes, {}, &ProcessSample::pid);
  if (sampled.processes.size() > processes_max) sampled.processes.resize(processes_max);
  return {number, std::move(sampled)};
}

}  // namespace cox
