#include "controller/change/job_records.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/syntax/array_tasks.h"

namespace cox {
namespace {

using StepsOfRun = std::map<AttemptKey, std::vector<Step>>;

// Returns whether the job's present state is the state of this run: the run is the newest attempt,
// and the job was not requeued after it.
bool is_current(const Job& job, const RunRecord& run) {
  if (job.state == JobState::Pending || run.number != job.attempt) return false;
  return job.ended == Wall{} || run.ended == Wall{} || run.ended >= job.ended;
}

// Returns the approximate size of a record in bytes, by its parts that may be large.
std::size_t rough_bytes(const JobRecord& record) {
  constexpr std::size_t per_step = 400;
  constexpr std::size_t per_node = 60;
  std::size_t bytes = 2'000 + record.run.nodelist.size();
  const JobSpec& spec = *record.job.spec;
  for (const auto* words : {&spec.command, &spec.nodelist, &spec.exclude})
    for (const std::string& word : *words) bytes += word.size();
  for (const JobSize& one : spec.components)
    for (const auto* words : {&one.nodelist, &one.exclude})
      for (const std::string& word : *words) bytes += word.size();
  for (const Step& step : record.steps)
    bytes += per_step + per_node * (step.nodes.size() + step.spec.nodelist.size());
  return bytes;
}

std::vector<JobRecord> records_of(JobRecord head, const std::vector<RunRecord>& runs,
                                  StepsOfRun& steps, bool all_runs) {
  std::vector<JobRecord> records;
  const auto add_record = [&](const RunRecord& run, bool newest) {
    JobRecord& record = records.emplace_back(head);
    record.run = run;
    record.newest = newest;
    if (const auto own = steps.find({head.job.id, run.number}); own != steps.end())
      record.steps = std::move(own->second);
  };
  RunRecord current;
  for (const RunRecord& run : runs) {
    if (is_current(head.job, run))
      current = run;
    else if (all_runs && run.went != Wall{})
      add_record(run, false);
  }
  add_record(current, true);
  return records;
}

// If there are more steps than fit, ends the page inside the job to which the last step that fits
// belongs.
void cut_steps(RecordRows& rows, AccountingPage& page) {
  if (rows.steps.size() <= record_steps_per_page_max) return;
  rows.steps.resize(record_steps_per_page_max);
  const StepKey last = rows.steps.back().key;
  std::erase_if(rows.jobs,
                [&](const JobRecord& record) { return record.job.id > last.attempt.job; });
  page.more = true;
  page.after = JobId{last.attempt.job.value - 1};
  page.after_step = last;
}

}  // namespace

AccountingPage page_of(RecordRows rows, const ListAccounting& ask) {
  AccountingPage page;
  if (rows.jobs.size() > record_jobs_per_page_max) {
    rows.jobs.resize(record_jobs_per_page_max);
    page.more = true;
  }
  if (page.more) page.after = rows.jobs.back().job.id;
  cut_steps(rows, page);
  std::map<JobId, std::vector<RunRecord>> runs;
  for (RunOfJob& one : rows.runs) runs[one.job].push_back(std::move(one.run));
  StepsOfRun steps;
  for (Step& step : rows.steps) steps[step.key.attempt].push_back(std::move(step));
  std::size_t bytes = 0;
  for (JobRecord& head : rows.jobs) {
    if (bytes > limits::page_bytes_max) {
      page.more = true;
      page.after = JobId{page.records.back().job.id};
      page.after_step = {{}, -1};
      break;
    }
    const JobId id = head.job.id;
    for (JobRecord& record : records_of(std::move(head), runs[id], steps, ask.all_runs)) {
      bytes += rough_bytes(record);
      page.records.push_back(std::move(record));
    }
  }
  return page;
}

std::string node_list_of(const std::vector<std::string>& names) {
  const bool plain =
      std::ranges::all_of(names, [](const auto& name) { return is_host_name(name); });
  return plain ? compress_hostlist(names) : joined(names, ",");
}

RunRecord run_record(const Attempt& attempt) {
  RunRecord run;
  run.number = attempt.key.attempt;
  run.partition = attempt.partition;
  run.began = attempt.began;
  run.went = attempt.went;
  run.ended = attempt.ended;
  if (attempt.suspension.suspended && !attempt.suspended_at.empty())
    run.suspended_since = attempt.suspended_at.back();
  run.suspended_ms = attempt.suspended_ms;
  run.stop = attempt.stop.why;
  run.time_limit_s = attempt.time_limit_s;
  std::vector<std::string> names;
  for (const AttemptNode& node : attempt.nodes) {
    const NodeGrant& grant = node.grant;
    names.push_back(grant.node);
    run.cpus += grant.cpus;
    run.memory_mb += grant.memory_mb;
    const std::int64_t gpu_milli = std::ssize(grant.gpus) * grant.gpu_milli;
    run.gpu_milli += gpu_milli;
    run.usage.add(node.usage);
    if (names.size() > 1) continue;
    run.first_node = grant.node;
    run.first_cpus = grant.cpus;
    run.first_memory_mb = grant.memory_mb;
    run.first_gpu_milli = gpu_milli;
  }
  run.nodelist = node_list_of(names);
  run.nodes = std::ssize(names);
  if (!attempt.ranks.empty() && attempt.ranks.front().rank == 0) {
    run.exit_code = attempt.ranks.front().exit_code;
    run.exit_signal = attempt.ranks.front().exit_signal;
    run.rank_ended = attempt.ranks.front().ended;
  }
  return run;
}

std::vector<JobState> selected_states(const ListAccounting& ask) {
  std::vector<JobState> states;
  for (const JobState state : ask.states) {
    const bool runs = state == JobState::Configuring || state == JobState::Signaling ||
                      state == JobState::Completing;
    const JobState selected = runs ? JobState::Running : state;
    if (std::ranges::find(states, selected) == states.end()) states.push_back(selected);
  }
  return states;
}

RecordIds selected_ids(const ListAccounting& ask) {
  RecordIds selected;
  for (std::size_t i = 0; i < ask.ids.size(); ++i) {
    const std::string tasks = i < ask.tasks.size() ? ask.tasks[i] : "";
    if (tasks.empty()) {
      selected.whole.push_back(ask.ids[i]);
      continue;
    }
    const auto parsed = parse_array_tasks(tasks);
    if (!parsed) continue;
    for (const std::int64_t task : parsed->all()) {
      selected.arrays.push_back(ask.ids[i]);
      selected.tasks.push_back(task);
    }
  }
  return selected;
}

Failure check(const ListAccounting& ask) {
  for (const std::size_t count :
       {ask.ids.size(), ask.users.size(), ask.accounts.size(), ask.partitions.size(),
        ask.qos.size(), ask.names.size(), ask.states.size()})
    if (count > limits::page_rows_max)
      return Refusal{"more than " + std::to_string(limits::page_rows_max) + " in one list",
                     "ask for fewer"};
  if (ask.nodes.size() > limits::hostlist_nodes_max)
    return Refusal{"more than " + std::to_string(limits::hostlist_nodes_max) + " nodes",
                   "name fewer at a time"};
  std::int64_t tasks = 0;
  for (const std::string& named : ask.tasks) {
    if (named.empty()) continue;
    const auto some = parse_array_tasks(named);
    if (!some) return some.refusal();
    tasks += some->count();
  }
  if (tasks > limits::array_tasks_max)
    return Refusal{"more than " + std::to_string(limits::array_tasks_max) + " tasks",
                   "ask for fewer, or for whole arrays"};
  const auto is_plain = [](const std::string& word) {
    return is_utf8(word) && word.find('\0') == std::string::npos &&
           word.size() <= limits::name_bytes_max;
  };
  for (const auto* words :
       {&ask.users, &ask.accounts, &ask.partitions, &ask.qos, &ask.names, &ask.nodes})
    if (!std::ranges::all_of(*words, is_plain))
      return Refusal{"a name is longer than " + std::to_string(limits::name_bytes_max) +
                         " bytes, or is not UTF-8 text",
                     "check the names of users, accounts, partitions, QOS, jobs and nodes"};
  return std::nullopt;
}

}  // namespace cox
