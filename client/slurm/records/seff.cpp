#include "client/slurm/records/seff.h"

#include <array>
#include <cstdio>

#include "client/slurm/records/record_rows.h"
#include "client/slurm/records/record_text.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr int exit_not_found = 2;
constexpr std::int64_t kb_per_mb = 1024;

std::string memory_text(std::int64_t kilobytes) {
  constexpr std::string_view units = "KMGTPE";
  if (kilobytes == 0) return "0.00 MB";
  auto amount = static_cast<double>(kilobytes);
  std::size_t at = 0;
  for (; amount >= 1024 && at + 1 < units.size(); ++at) amount /= 1024;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f %cB", amount, units[at]);
  return text.data();
}

std::string percent_text(std::int64_t part, std::int64_t whole) {
  const double percent =
      whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * 100;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f%%", percent);
  return text.data();
}

// Returns an upper estimate of the memory that the job used at a time, in KiB: for each step, the
// number of tasks times the memory of its largest task, and of these the maximum.
std::int64_t memory_kb_of(const RecordsOfJob& all) {
  std::int64_t most = 0;
  for (const RecordRow& part : all.parts)
    if (part.took)
      most = std::max(most, part.usage.max_rss_kb * std::max<std::int64_t>(1, part.tasks));
  return most;
}

std::string efficiency_text(const RecordsOfJob& all) {
  const RecordRow& job = all.job;
  const std::int64_t cpus = std::max<std::int64_t>(1, job.cpus);
  const std::int64_t nodes = std::max<std::int64_t>(1, job.nodes);
  const std::int64_t cpu_s = (job.usage.user_cpu_ms + job.usage.system_cpu_ms + 500) / 1000;
  const std::int64_t core_s = job.elapsed_s * cpus;
  const std::int64_t memory_kb = memory_kb_of(all);
  const std::int64_t granted_kb = job.memory_mb * kb_per_mb;
  const bool per_cpu = job.spec().memory_mb_per_cpu > 0;
  std::string out = "CPU Utilized: " + span_text(cpu_s) + "\n";
  out += "CPU Efficiency: " + percent_text(cpu_s, core_s) + " of " + span_text(core_s) +
         " core-walltime\n";
  out += "Job Wall-clock time: " + span_text(job.elapsed_s) + "\n";
  out += "Memory Utilized: " + memory_text(memory_kb) + "\n";
  out += "Memory Efficiency: " + percent_text(memory_kb, granted_kb) + " of " +
         memory_text(granted_kb) + " (" + memory_text(granted_kb / (per_cpu ? cpus : nodes)) +
         (per_cpu ? "/core)\n" : "/node)\n");
  if (job.state_word == "RUNNING")
    out +=
        "WARNING: Efficiency statistics can only be obtained after the job has ended as seff "
        "tool is based on the accounting database data.\n";
  return out;
}

std::string report(const RecordsOfJob& all, const std::string& cluster, const SeffOptions& with) {
  const RecordRow& row = all.job;
  const Job& job = row.record->job;
  const auto group = with.group_names.find(row.spec().gid);
  const bool waits = row.state_word == "PENDING";
  std::string out = "Job ID: " + row.raw_id + "\n";
  if (is_of_array(job)) out += "Array Job ID: " + row.id + "\n";
  out += "Cluster: " + cluster + "\n";
  out += "User/Group: " + printable(row.spec().user_name) + "/" +
         (group == with.group_names.end() ? std::to_string(row.spec().gid) : group->second) + "\n";
  out += "State: " + row.state_word;
  if (!waits && row.state_word != "RUNNING")
    out += " (exit code " + std::to_string(row.exit_code) + ")";
  const std::int64_t cpus = std::max<std::int64_t>(1, row.cpus);
  const std::int64_t nodes = std::max<std::int64_t>(1, row.nodes);
  if (cpus == 1)
    out += "\nCores: 1\n";
  else
    out += "\nNodes: " + std::to_string(nodes) +
           "\nCores per node: " + std::to_string(cpus / nodes) + "\n";
  if (waits) return out + "Efficiency not available for jobs in the PENDING state.\n";
  return out + efficiency_text(all);
}

}  // namespace

Question ask_seff(const SeffOptions& options) {
  ListAccounting ask;
  ask.ids = {options.job.id};
  ask.tasks = {options.job.tasks};
  return ask;
}

Shown show_seff(const Answer& answer, const SeffOptions& options, const Screen&) {
  const auto* page = std::get_if<AccountingPage>(&answer);
  if (page == nullptr) return {"", "seff: Unexpected message\n", exit_refused};
  const JobRecord* meant = nullptr;
  for (const JobRecord& record : page->records)
    if (meant == nullptr || record.job.id == options.job.id) meant = &record;
  if (meant == nullptr) return {"", "Job not found.\n", exit_not_found};
  return {report(records_of(*meant, page->now, {}), page->cluster, options), "", exit_ok};
}

}  // namespace cox
