#include "client/slurm/records/sstat.h"

#include <algorithm>
#include <array>
#include <map>

#include "client/show/show_words.h"
#include "client/slurm/records/record_columns.h"
#include "client/slurm/records/record_text.h"
#include "client/slurm/text/json_document.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

constexpr const char* sampled_columns =
    "jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,"
    "maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,"
    "avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,"
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,"
    "avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,tresusageinmin,"
    "tresusageinminn,tresusageinmint,tresusageintot,tresusageoutave,tresusageoutmax,"
    "tresusageoutmaxn,tresusageoutmaxt,tresusageoutmin,tresusageoutminn,tresusageoutmint,"
    "tresusageouttot";
constexpr const char* pid_columns = "jobid,nodelist,pids";

// The use of a task: the sum over its processes; of memory, that of the largest process.
struct TaskUse {
  std::string node;
  std::int32_t task = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t rss_bytes = 0;
  std::int64_t vsize_bytes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t pages = 0;
};
using Amount = std::int64_t TaskUse::*;

struct Row {
  std::string id;
  std::string nodelist;
  std::string pids;
  std::vector<TaskUse> tasks;
};

Row row_of(const SampledStep& step) {
  Row row;
  row.id = step.id;
  std::map<std::int32_t, TaskUse> tasks;
  std::vector<std::string> names;
  for (const SampledStep::Node& node : step.nodes) {
    names.push_back(node.name);
    for (const ProcessSample& process : node.processes) {
      row.pids += (row.pids.empty() ? "" : ",") + std::to_string(process.pid);
      TaskUse& use = tasks[process.task];
      use.node = node.name;
      use.task = process.task;
      use.cpu_ms += process.cpu_ms;
      use.rss_bytes = std::max(use.rss_bytes, process.rss_kb * 1024);
      use.vsize_bytes = std::max(use.vsize_bytes, process.vsize_kb * 1024);
      use.read_bytes += process.read_bytes;
      use.written_bytes += process.written_bytes;
      use.pages += process.pages;
    }
  }
  row.nodelist = node_list_text(names);
  for (const auto& [task, use] : tasks) row.tasks.push_back(use);
  return row;
}

const TaskUse* most_of(const Row& row, Amount amount) {
  const auto most = std::ranges::max_element(row.tasks, {}, amount);
  return most == row.tasks.end() ? nullptr : &*most;
}
const TaskUse* least_of(const Row& row, Amount amount) {
  const auto least = std::ranges::min_element(row.tasks, {}, amount);
  return least == row.tasks.end() ? nullptr : &*least;
}
std::int64_t sum_of(const Row& row, Amount amount) {
  std::int64_t sum = 0;
  for (const TaskUse& use : row.tasks) sum += use.*amount;
  return sum;
}
std::int64_t average_of(const Row& row, Amount amount) {
  return row.tasks.empty() ? 0 : sum_of(row, amount) / std::ssize(row.tasks);
}

using With = RecordLayout;

std::string none(const Row&, const With&) {
  return "";
}
template <Amount amount>
std::string most(const Row& r, const With& with) {
  const TaskUse* use = most_of(r, amount);
  return use == nullptr ? "" : amount_text(use->*amount, 0, with);
}
template <Amount amount>
std::string average(const Row& r, const With& with) {
  return amount_text(average_of(r, amount), 0, with);
}
template <Amount amount>
std::string node_of_most(const Row& r, const With&) {
  const TaskUse* use = most_of(r, amount);
  return use == nullptr ? "" : use->node;
}
template <Amount amount>
std::string task_of_most(const Row& r, const With&) {
  const TaskUse* use = most_of(r, amount);
  return use == nullptr ? "" : std::to_string(use->task);
}
std::string average_cpu(const Row& r, const With&) {
  return span_text(average_of(r, &TaskUse::cpu_ms) / 1000);
}
std::string least_cpu(const Row& r, const With&) {
  const TaskUse* use = least_of(r, &TaskUse::cpu_ms);
  return use == nullptr ? "" : span_text(use->cpu_ms / 1000);
}

std::string tres_in(std::int64_t cpu_ms, std::int64_t read, std::int64_t rss, std::int64_t pages,
                    std::int64_t vsize, const With& with) {
  return "cpu=" + span_text(cpu_ms / 1000) + ",fs/disk=" + std::to_string(read) +
         ",mem=" + amount_text(rss, 0, with) + ",pages=" + std::to_string(pages) +
         ",vmem=" + amount_text(vsize, 0, with);
}
template <std::int64_t (*of)(const Row&, Amount)>
std::string tres_in_by(const Row& r, const With& with) {
  if (r.tasks.empty()) return "";
  return tres_in(of(r, &TaskUse::cpu_ms), of(r, &TaskUse::read_bytes), of(r, &TaskUse::rss_bytes),
                 of(r, &TaskUse::pages), of(r, &TaskUse::vsize_bytes), with);
}
std::int64_t greatest(const Row& r, Amount amount) {
  return most_of(r, amount)->*amount;
}
std::int64_t smallest(const Row& r, Amount amount) {
  return least_of(r, amount)->*amount;
}
template <std::int64_t (*of)(const Row&, Amount)>
std::string tres_out_by(const Row& r, const With&) {
  return r.tasks.empty() ? "" : "fs/disk=" + std::to_string(of(r, &TaskUse::written_bytes));
}

struct Column {
  std::string_view name;
  int width;
  bool is_number;
  std::string (*text)(const Row& row, const With& with);
};

using T = TaskUse;

constexpr auto columns = std::to_array<Column>({
    {"AveCPU", 10, false, average_cpu},
    {"AveCPUFreq", 10, false, none},
    {"AveDiskRead", 12, false, average<&T::read_bytes>},
    {"AveDiskWrite", 12, false, average<&T::written_bytes>},
    {"AvePages", 10, false, average<&T::pages>},
    {"AveRSS", 10, false, average<&T::rss_bytes>},
    {"AveVMSize", 10, false, average<&T::vsize_bytes>},
    {"ConsumedEnergy", 14, false, none},
    {"ConsumedEnergyRaw", 17, true, none},
    {"JobID", -12, false, [](const Row& r, const With&) { return r.id; }},
    {"MaxDiskRead", 12, false, most<&T::read_bytes>},
    {"MaxDiskReadNode", 15, false, node_of_most<&T::read_bytes>},
    {"MaxDiskReadTask", 15, true, task_of_most<&T::read_bytes>},
    {"MaxDiskWrite", 12, false, most<&T::written_bytes>},
    {"MaxDiskWriteNode", 16, false, node_of_most<&T::written_bytes>},
    {"MaxDiskWriteTask", 16, true, task_of_most<&T::written_bytes>},
    {"MaxPages", 8, false, most<&T::pages>},
    {"MaxPagesNode", 12, false, node_of_most<&T::pages>},
    {"MaxPagesTask", 14, true, task_of_most<&T::pages>},
    {"MaxRSS", 10, false, most<&T::rss_bytes>},
    {"MaxRSSNode", 10, false, node_of_most<&T::rss_bytes>},
    {"MaxRSSTask", 10, true, task_of_most<&T::rss_bytes>},
    {"MaxVMSize", 10, false, most<&T::vsize_bytes>},
    {"MaxVMSizeNode", 14, false, node_of_most<&T::vsize_bytes>},
    {"MaxVMSizeTask", 14, true, task_of_most<&T::vsize_bytes>},
    {"MinCPU", 10, false, least_cpu},
    {"MinCPUNode", 10, false,
     [](const Row& r, const With&) {
       return r.tasks.empty() ? "" : least_of(r, &T::cpu_ms)->node;
     }},
    {"MinCPUTask", 10, true,
     [](const Row& r, const With&) {
       return r.tasks.empty() ? "" : std::to_string(least_of(r, &T::cpu_ms)->task);
     }},
    {"Nodelist", 20, false, [](const Row& r, const With&) { return r.nodelist; }},
    {"NTasks", 8, true, [](const Row& r, const With&) { return std::to_string(r.tasks.size()); }},
    {"Pids", 20, false, [](const Row& r, const With&) { return r.pids; }},
    {"ReqCPUFreq", 10, false, none},
    {"ReqCPUFreqMin", 13, false, none},
    {"ReqCPUFreqMax", 13, false, none},
    {"ReqCPUFreqGov", 13, false, none},
    {"TRESUsageInAve", 14, false, tres_in_by<average_of>},
    {"TRESUsageInMax", 14, false, tres_in_by<greatest>},
    {"TRESUsageInMaxNode", 18, false, node_of_most<&T::rss_bytes>},
    {"TRESUsageInMaxTask", 18, false, task_of_most<&T::rss_bytes>},
    {"TRESUsageInMin", 14, false, tres_in_by<smallest>},
    {"TRESUsageInMinNode", 18, false, none},
    {"TRESUsageInMinTask", 18, false, none},
    {"TRESUsageInTot", 14, false, tres_in_by<sum_of>},
    {"TRESUsageOutAve", 15, false, tres_out_by<average_of>},
    {"TRESUsageOutMax", 15, false, tres_out_by<greatest>},
    {"TRESUsageOutMaxNode", 19, false, node_of_most<&T::written_bytes>},
    {"TRESUsageOutMaxTask", 19, false, task_of_most<&T::written_bytes>},
    {"TRESUsageOutMin", 15, false, tres_out_by<smallest>},
    {"TRESUsageOutMinNode", 19, false, none},
    {"TRESUsageOutMinTask", 19, false, none},
    {"TRESUsageOutTot", 15, false, tres_out_by<sum_of>},
});

Result<std::vector<ColumnChoice>> chosen_columns(const SstatOptions& options) {
  std::vector<std::string> formats = options.format;
  if (options.pids) formats.emplace_back(pid_columns);
  if (formats.empty()) formats.emplace_back(sampled_columns);
  return read_format(formats, column_names(columns));
}

Shown sstat_error(const Refusal& why) {
  std::string text = "sstat: error: " + why.fact + "\n";
  if (!why.hint.empty()) text += "sstat: error: " + why.hint + "\n";
  return {"", std::move(text), exit_refused};
}

// Returns a row for each step or, with --pidformat (`each_node`), for each node of each step.
std::vector<Row> rows_of(const std::vector<SampledStep>& steps, bool each_node) {
  std::vector<Row> rows;
  for (const SampledStep& step : steps) {
    if (!each_node) {
      rows.push_back(row_of(step));
      continue;
    }
    for (const SampledStep::Node& node : step.nodes) rows.push_back(row_of({step.id, {node}}));
  }
  return rows;
}

slurm_json::Json use_json(const TaskUse* use, Amount amount) {
  if (use == nullptr) return nullptr;
  return {{"value", use->*amount}, {"node", use->node}, {"task", use->task}};
}

slurm_json::Json sample_json(const Row& row) {
  using namespace slurm_json;
  Json used = Json::object();
  for (const auto& [name, amount] :
       {std::pair{"cpu_ms", &T::cpu_ms}, std::pair{"rss_bytes", &T::rss_bytes},
        std::pair{"vsize_bytes", &T::vsize_bytes}, std::pair{"pages", &T::pages},
        std::pair{"read_bytes", &T::read_bytes}, std::pair{"written_bytes", &T::written_bytes}})
    used[name] = {{"average", average_of(row, amount)},
                  {"total", sum_of(row, amount)},
                  {"maximum", use_json(most_of(row, amount), amount)},
                  {"minimum", use_json(least_of(row, amount), amount)}};
  return {{"step", {{"id", row.id}}},
          {"nodes", {{"range", row.nodelist}}},
          {"tasks", {{"count", row.tasks.size()}}},
          {"pids", row.pids},
          {"used", used}};
}

}  // namespace

std::string samples_json(const std::vector<SampledStep>& steps, Wall now) {
  using namespace slurm_json;
  Json all = Json::array();
  for (const Row& row : rows_of(steps, false)) all.push_back(sample_json(row));
  return document({"sstat"}, "steps", std::move(all), "", now);
}

Result<std::vector<std::int32_t>> steps_to_sample(const RecordSelector& wanted, const Job& job,
                                                  const std::vector<StepView>& steps,
                                                  bool all_steps) {
  constexpr std::int32_t batch = -1;
  const std::string id_text = shown_id(job);
  const bool has_batch = job.spec->form != JobForm::Allocation;
  std::vector<std::int32_t> running;
  for (const StepView& view : steps)
    if (view.step.state == JobState::Running && view.step.key.attempt.job == job.id)
      running.push_back(view.step.key.number);
  if (wanted.step == RecordSelector::batch && has_batch) return std::vector{batch};
  if (wanted.step >= 0) {
    if (std::ranges::find(running, wanted.step) != running.end()) return std::vector{wanted.step};
    return Refusal{"no step " + id_text + "." + std::to_string(wanted.step) + " is running",
                   "'squeue -s -j " + std::to_string(job.id.value) + "' shows those that run"};
  }
  if (wanted.step == RecordSelector::external)
    return Refusal{"no process runs as " + id_text + ".extern", "name a step or .batch"};
  if (all_steps) {
    if (has_batch) running.insert(running.begin(), batch);
    if (!running.empty()) return running;
  }
  if (running.empty())
    return Refusal{"no steps running for job " + id_text,
                   has_batch
                       ? "its script is " + id_text + ".batch"
                       : "srun starts steps; the ranks of a gang are no step: 'cox show job " +
                             std::to_string(job.id.value) + "' shows them"};
  return std::vector{std::ranges::min(running)};
}

std::optional<Shown> show_sample_help(const SstatOptions& options) {
  if (options.help_format) return Shown{names_text(column_names(columns).names), "", exit_ok};
  if (options.usage)
    return Shown{"Usage: sstat [options] -j <job(.stepid)>\n\tUse --help for help\n", "", exit_ok};
  if (const auto wishes = chosen_columns(options); !wishes) return sstat_error(wishes.refusal());
  if (options.jobs.empty()) return sstat_error({"You didn't give me any jobs to stat.", ""});
  return std::nullopt;
}

Shown show_samples(const std::vector<SampledStep>& steps, const SstatOptions& options) {
  const auto wishes = chosen_columns(options);
  if (!wishes) return sstat_error(wishes.refusal());
  std::vector<LaidCell> cells;
  for (const ColumnChoice& wish : *wishes)
    cells.push_back({std::string(columns[wish.at].name), wish.width, columns[wish.at].is_number});
  Shown shown;
  shown.out = record_heads(cells, options.layout);
  for (const Row& row : rows_of(steps, options.pids)) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i].text = printable(columns[(*wishes)[i].at].text(row, options.layout));
    shown.out += record_line(cells, options.layout);
  }
  return shown;
}

}  // namespace cox
