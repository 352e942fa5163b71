#include "client/slurm/records/record_rows.h"

#include <algorithm>

#include "client/show/show_words.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

using Kind = RecordRow::Kind;

constexpr std::int32_t out_of_memory_signal = 125;  // as in Slurm
constexpr std::int32_t exit_codes_of_shells = 128;  // exit codes from here on mean 128 + a signal

std::int64_t seconds_between(Wall from, Wall to) {
  return std::max<std::int64_t>(0, (to - from).count() / 1000);
}

// Returns the state that sacct shows for an earlier attempt of a job, by the reason why the attempt
// was stopped.
std::string_view word_of_earlier_run(StopWhy why) {
  switch (why) {
    case StopWhy::Preempt: return "PREEMPTED";
    case StopWhy::NodeLost:
    case StopWhy::LeaseEnded: return "NODE_FAIL";
    case StopWhy::TimeLimit: return "TIMEOUT";
    default: return "REQUEUED";
  }
}

std::string raw_text(const Job& job) {
  return std::to_string(job.id.value);
}

void set_exit(RecordRow& row, std::int32_t code, std::int32_t signal) {
  const bool memory = row.state_word == name(JobState::OutOfMemory);
  row.exit_code = memory ? 0 : code >= exit_codes_of_shells ? code - exit_codes_of_shells : code;
  row.exit_signal = memory ? out_of_memory_signal : signal;
}

// Sets start, end, elapsed and suspended time of the row. With --truncate, cuts start and end to
// the time from --starttime to --endtime.
void set_times(RecordRow& row, Wall start, Wall end, Wall now, const SacctOptions& options) {
  const RunRecord& run = row.record->run;
  const bool stands = run.suspended_since != Wall{} && end == Wall{};
  if (options.truncate && start != Wall{} && options.since != Wall{})
    start = std::max(start, options.since);
  if (options.truncate && start != Wall{}) {
    const Wall until = options.until == Wall{} ? now : options.until;
    end = end == Wall{} ? until : std::min(end, until);
  }
  row.start = start;
  row.end = end;
  if (start == Wall{}) return;
  row.suspended_s = run.suspended_ms / 1000;
  if (stands) row.suspended_s += seconds_between(run.suspended_since, now);
  const std::int64_t lasted = seconds_between(start, end == Wall{} ? now : end);
  row.elapsed_s = std::max<std::int64_t>(0, lasted - row.suspended_s);
}

RecordRow job_row(const JobRecord& record, Wall now, const SacctOptions& options) {
  RecordRow row;
  const Job& job = record.job;
  const RunRecord& run = record.run;
  const bool has_run = run.number.value > 0;
  row.record = &record;
  row.id = shown_id(job);
  row.raw_id = raw_text(job);
  row.name = job.spec->name;
  row.state_word = record.newest ? shown_state(job.state) : word_of_earlier_run(run.stop);
  row.state = row.state_word;
  const auto canceller = options.uids.find(record.ended_by);
  if (record.newest && job.state == JobState::Cancelled && canceller != options.uids.end())
    row.state += " by " + std::to_string(canceller->second);
  set_times(row, run.went != Wall{} ? run.went : run.began, has_run ? run.ended : job.ended, now,
            options);
  row.never_began = !has_run && job.ended != Wall{};
  if (record.newest) set_exit(row, job.exit_code, job.exit_signal);
  row.cpus = run.cpus;
  row.nodes = has_run ? run.nodes : 0;
  row.memory_mb = run.memory_mb;
  row.gpu_milli = run.gpu_milli;
  row.nodelist = has_run ? run.nodelist : "None assigned";
  return row;
}

RecordRow part_of(const RecordRow& job, Kind kind, const std::string& what) {
  RecordRow row = job;
  row.kind = kind;
  row.id += "." + what;
  row.raw_id += "." + what;
  row.name = what;
  row.exit_code = row.exit_signal = 0;
  return row;
}

bool was_stopped(StopWhy why) {
  return why != StopWhy::None && why != StopWhy::JobEnded && why != StopWhy::RankFailed &&
         why != StopWhy::OutOfMemory;
}

// Returns whether a signal ended the step. As in Slurm, the step is then CANCELLED, also if no user
// sent the signal.
bool is_signalled(std::int32_t code, std::int32_t signal) {
  return code == 0 && signal != 0;
}

JobState state_by_exit(const RunRecord& run, std::int32_t code, std::int32_t signal) {
  if (run.stop == StopWhy::OutOfMemory) return JobState::OutOfMemory;
  // If a stopped run has no report of its end, its exit code is unknown and not 0.
  const bool is_unknown = was_stopped(run.stop) && run.rank_ended == Wall{};
  if (code == 0 && signal == 0 && !is_unknown) return JobState::Completed;
  const bool is_cancelled = was_stopped(run.stop) || is_signalled(code, signal);
  return is_cancelled ? JobState::Cancelled : JobState::Failed;
}

// Returns the row JOB.batch of the job: its batch script, or all ranks of a gang. A gang has the
// exit code of its job, which is that of the first rank that failed. If the job has none because it
// was stopped, the row has that of rank 0.
RecordRow batch_row(const RecordRow& job, Wall now, const SacctOptions& options) {
  RecordRow row = part_of(job, Kind::Batch, "batch");
  const RunRecord& run = row.record->run;
  const bool gang = row.spec().form == JobForm::Gang;
  const Wall ended = !gang && run.rank_ended != Wall{} ? run.rank_ended : run.ended;
  const Job& its_job = row.record->job;
  const bool by_job =
      gang && row.record->newest && (its_job.exit_code != 0 || its_job.exit_signal != 0);
  const std::int32_t code = by_job ? its_job.exit_code : run.exit_code;
  const std::int32_t signal = by_job ? its_job.exit_signal : run.exit_signal;
  row.state_word =
      ended == Wall{} ? shown_state(JobState::Running) : name(state_by_exit(run, code, signal));
  row.state = row.state_word;
  set_times(row, run.went, ended, now, options);
  if (ended != Wall{}) set_exit(row, code, signal);
  row.tasks = gang ? row.spec().tasks : 1;
  row.took = ended != Wall{};
  row.usage = run.usage;
  if (gang) return row;
  row.cpus = run.first_cpus;
  row.nodes = 1;
  row.memory_mb = run.first_memory_mb;
  row.gpu_milli = run.first_gpu_milli;
  row.nodelist = run.first_node;
  return row;
}

RecordRow extern_row(const RecordRow& job) {
  RecordRow row = part_of(job, Kind::Extern, "extern");
  const RunRecord& run = row.record->run;
  row.state_word = name(run.ended == Wall{} ? JobState::Running : JobState::Completed);
  row.state = row.state_word;
  row.tasks = run.nodes;
  row.took = run.ended != Wall{};
  return row;
}

RecordRow step_row(const RecordRow& job, const Step& step, Wall now, const SacctOptions& options) {
  RecordRow row = part_of(job, Kind::Step, std::to_string(step.key.number));
  row.step = &step;
  row.name = step.spec.name;
  const bool signalled =
      step.state == JobState::Failed && is_signalled(step.exit_code, step.exit_signal);
  row.state_word = shown_state(signalled ? JobState::Cancelled : step.state);
  row.state = row.state_word;
  set_times(row, step.started, step.ended, now, options);
  row.suspended_s = 0;
  row.elapsed_s = seconds_between(row.start, row.end == Wall{} ? now : row.end);
  set_exit(row, step.exit_code, step.exit_signal);
  row.tasks = step.tasks;
  row.took = step.ended != Wall{};
  row.usage = step.usage;
  row.figures = step.figures;
  row.cpus = row.memory_mb = row.gpu_milli = 0;
  std::vector<std::string> names;
  for (const StepNode& node : step.nodes) {
    names.push_back(node.node);
    row.cpus += node.cpus;
    row.memory_mb += node.memory_mb;
    row.gpu_milli += std::ssize(node.gpus) * gpu_whole;
  }
  row.nodes = std::ssize(names);
  row.nodelist = node_list_text(names);
  return row;
}

bool any_or_in(const std::vector<std::string>& wanted, const std::string& is) {
  return wanted.empty() || std::ranges::find(wanted, is) != wanted.end();
}

// Returns whether --state means the row of an attempt. With --duplicates each row is judged by the
// state that it shows; as without it, RUNNING also means those that ran in the time asked for.
bool has_shown_state(const RecordRow& job, const SacctOptions& options) {
  if (!options.duplicates || !options.has_state_filter) return true;
  const auto asks = [&](std::string_view word) {
    return std::ranges::find(options.shown_states, word) != options.shown_states.end();
  };
  const bool began = job.start != Wall{} && (options.until == Wall{} || job.start < options.until);
  const bool ran = began && (job.end == Wall{} || job.end > options.since);
  return asks(job.state_word) || (ran && asks(shown_state(JobState::Running)));
}

// Returns whether the job passes the filters that sacct applies itself, since the controller does
// not.
bool is_selected(const RecordRow& job, const SacctOptions& options) {
  const JobSpec& spec = job.spec();
  const std::int64_t limit_s = time_limit_s(*job.record);
  const auto names = [&](const std::string& wanted) {
    const std::string all = "&" + spec.constraint + "&";
    return all.find("&" + wanted + "&") != std::string::npos;
  };
  if (!has_shown_state(job, options)) return false;
  if (!options.constraints.empty() && !std::ranges::all_of(options.constraints, names))
    return false;
  if (!options.gids.empty() && std::ranges::find(options.gids, spec.gid) == options.gids.end())
    return false;
  if (options.node_counts && !options.node_counts->contains(job.nodes)) return false;
  if (options.cpu_counts && !options.cpu_counts->contains(job.cpus)) return false;
  if (options.limit_s_min) {
    const std::int64_t most = options.limit_s_max.value_or(*options.limit_s_min);
    if (limit_s < *options.limit_s_min || limit_s > most) return false;
  }
  return any_or_in(options.wckeys, spec.wckey) && any_or_in(options.reasons, job.record->reason);
}

bool names_job(const RecordSelector& wanted, const Job& job) {
  if (wanted.component >= 0 && wanted.component != job.component) return false;
  if (wanted.tasks.empty())
    return wanted.id == job.id || (is_of_array(job) && wanted.id == job.array_job);
  const auto tasks = parse_array_tasks(wanted.tasks);
  return tasks && is_of_array(job) && wanted.id == job.array_job &&
         !tasks->common_with(tasks_of(job)).empty();
}

// Returns whether --jobs names the row: its job or, as in 17.0, this step of the job.
bool is_wanted(const RecordRow& row, const SacctOptions& options) {
  if (options.jobs.empty()) return true;
  return std::ranges::any_of(options.jobs, [&](const RecordSelector& wanted) {
    if (!names_job(wanted, row.record->job)) return false;
    switch (wanted.step) {
      case RecordSelector::all: return true;
      case RecordSelector::batch: return row.kind == Kind::Batch;
      case RecordSelector::external: return row.kind == Kind::Extern;
      default: return row.step != nullptr && row.step->key.number == wanted.step;
    }
  });
}

// Returns, with --array, one row for each array task of the row; otherwise the row itself.
std::vector<RecordRow> each_task(const RecordRow& row, const SacctOptions& options) {
  const Job& job = row.record->job;
  if (!options.each_task || !has_several_tasks(job)) return {row};
  std::vector<RecordRow> rows;
  for (const std::int64_t task : tasks_of(job).all()) {
    rows.push_back(row);
    rows.back().id = format_job_ref(job.array_job, std::to_string(task));
  }
  return rows;
}

}  // namespace

std::string_view shown_state(JobState state) {
  const bool runs = state == JobState::Configuring || state == JobState::Signaling ||
                    state == JobState::Completing;
  return name(runs ? JobState::Running : state);
}

std::int64_t time_limit_s(const JobRecord& record) {
  return record.run.time_limit_s > 0 ? record.run.time_limit_s : record.job.spec->time_limit_s;
}

RecordsOfJob records_of(const JobRecord& record, Wall now, const SacctOptions& options) {
  RecordsOfJob all{job_row(record, now, options), {}};
  const RunRecord& run = record.run;
  if (run.number.value == 0 || run.went == Wall{}) return all;
  if (record.job.spec->form != JobForm::Allocation)
    all.parts.push_back(batch_row(all.job, now, options));
  all.parts.push_back(extern_row(all.job));
  for (const Step& step : record.steps)
    if (step.started != Wall{}) all.parts.push_back(step_row(all.job, step, now, options));
  for (const RecordRow& part : all.parts)
    if (part.took) all.job.usage.add(part.usage);
  return all;
}

std::vector<RecordRow> record_rows(const AccountingPage& page, const SacctOptions& options) {
  std::vector<RecordRow> rows;
  for (const JobRecord& record : page.records) {
    RecordsOfJob all = records_of(record, page.now, options);
    if (!is_selected(all.job, options)) continue;
    if (options.allocations) all.job.usage = {};
    if (is_wanted(all.job, options))
      for (RecordRow& row : each_task(all.job, options)) rows.push_back(std::move(row));
    if (options.allocations) continue;
    for (RecordRow& part : all.parts)
      if (is_wanted(part, options)) rows.push_back(std::move(part));
  }
  return rows;
}

}  // namespace cox
