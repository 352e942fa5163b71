#include "client/slurm/list/squeue_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "client/submit/components.h"
#include "common/base/limits.h"
#include "common/cluster/partition.h"
#include "common/job/job_ref.h"
#include "common/syntax/partition_list.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

bool has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_any(const Words& words, std::string_view word) {
  return words.empty() || has(words, word);
}

bool is_of_user(const SqueueRequest& request, const JobSpec& spec) {
  return is_any(request.users, spec.user_name) || has(request.users, std::to_string(spec.uid));
}

bool is_in_partition(const Words& partitions, std::string_view named) {
  return partitions.empty() || std::ranges::any_of(partitions, [&](const std::string& partition) {
           return names_partition(named, partition);
         });
}

bool is_on_node(const Words& wanted, const Words& nodes) {
  return wanted.empty() ||
         std::ranges::any_of(nodes, [&](const std::string& node) { return has(wanted, node); });
}

// Returns whether the job's licences, such as "a:2,b", include one of those in --licenses.
bool asks_for_licence(const Words& wanted, const std::string& licences) {
  return wanted.empty() || std::ranges::any_of(list_words(licences), [&](const std::string& each) {
           return has(wanted, each.substr(0, each.find(':')));
         });
}

bool has_state(const SqueueRequest& request, JobState state) {
  if (!request.states) return !is_final(state);
  return std::ranges::find(*request.states, state) != request.states->end();
}

// Returns whether the job is one of those that options choose by what was submitted, and not by
// where it runs.
bool is_chosen(const SqueueRequest& request, const JobSpec& spec) {
  return is_of_user(request, spec) && is_any(request.accounts, spec.account) &&
         is_any(request.qos, spec.qos) && is_any(request.reservation, spec.reservation) &&
         asks_for_licence(request.licences, spec.licences);
}

bool is_wanted(const SqueueRequest& request, const JobView& view) {
  const JobSpec& spec = *view.job.spec;
  return has_state(request, view.job.state) && is_chosen(request, spec) &&
         is_any(request.names, spec.name) && is_in_partition(request.partitions, view.partition) &&
         is_on_node(request.nodes, view.nodes);
}

// Returns whether the id means the job. As in Slurm, "5_3" is task 3 of the array 5, and the job id
// of a single task may not precede the "_".
bool selects(const SqueueRequest::Id& id, const Job& job) {
  if (id.component >= 0 && id.component != job.component) return false;
  return (is_of_array(job) && id.job == job.array_job) || (id.tasks.empty() && id.job == job.id);
}

// Returns those array tasks of the row that the ids name. Returns nothing if an id means the whole
// row.
std::optional<ArrayTasks> selected_tasks(const SqueueRequest& request, const Job& job) {
  std::vector<std::int64_t> selected;
  for (const auto& id : request.ids) {
    if (!selects(id, job)) continue;
    if (id.tasks.empty()) return std::nullopt;
    const auto asked = parse_array_tasks(id.tasks);
    if (!asked) continue;
    const auto some = tasks_of(job).common_with(*asked).all();
    selected.insert(selected.end(), some.begin(), some.end());
  }
  return ArrayTasks(std::move(selected));
}

// Returns whether the row is an array task that was cancelled before it started. As in Slurm, such
// tasks are not shown.
bool is_forgotten_task(const Job& job) {
  return is_of_array(job) && !is_first_of_array(job) && job.state == JobState::Cancelled &&
         job.attempt == AttemptNumber{};
}

JobView task_view(const JobView& view, std::int64_t task) {
  JobView one = view;
  one.job.array_task = task;
  one.job.array_tasks = {};
  return one;
}

// Adds the row to `rows`; with --array, or if ids name tasks of it, adds one row for each task.
void add_tasks(const SqueueRequest& request, JobView view, std::vector<JobView>& rows) {
  const auto selected = request.ids.empty() ? std::nullopt : selected_tasks(request, view.job);
  if (selected && selected->empty()) return;
  if (!has_several_tasks(view.job) || (!selected && !request.array)) {
    rows.push_back(std::move(view));
    return;
  }
  for (const std::int64_t task : (selected ? *selected : tasks_of(view.job)).all())
    rows.push_back(task_view(view, task));
}

void add_partitions(const SqueueRequest& request, JobView view, std::vector<JobView>& rows) {
  const auto names = partition_names(view.partition);
  if (!request.per_partition || names.size() < 2) return add_tasks(request, std::move(view), rows);
  for (const std::string_view name : names) {
    if (!is_in_partition(request.partitions, name)) continue;
    JobView one = view;
    one.partition = name;
    add_tasks(request, std::move(one), rows);
  }
}

// Moves each pending array task that has a row of its own into the row of the array's pending
// tasks, if there is one.
void put_tasks_together(std::vector<JobView>& rows) {
  using Key = std::tuple<JobId, std::string, std::string>;
  const auto key = [](const JobView& view) {
    return Key{view.job.array_job, view.job.spec->name, view.partition};
  };
  std::map<Key, std::vector<std::int64_t>> several;
  const auto waits = [](const JobView& view) { return view.job.state == JobState::Pending; };
  for (const JobView& view : rows)
    if (waits(view) && has_several_tasks(view.job)) several[key(view)];
  if (several.empty()) return;
  const auto joins = [&](const JobView& view) {
    return waits(view) && view.job.array_task >= 0 && several.contains(key(view));
  };
  for (const JobView& view : rows)
    if (joins(view)) several[key(view)].push_back(view.job.array_task);
  std::erase_if(rows, joins);
  for (JobView& view : rows) {
    if (!waits(view) || !has_several_tasks(view.job)) continue;
    std::vector<std::int64_t> all = std::exchange(several[key(view)], {});
    if (all.empty()) continue;
    const auto own = tasks_of(view.job).all();
    all.insert(all.end(), own.begin(), own.end());
    set_tasks(view.job, ArrayTasks(std::move(all)));
  }
}

bool names_step(const SqueueRequest& request, const StepRow& view) {
  if (request.ids.empty()) return true;
  return std::ranges::any_of(request.ids, [&](const SqueueRequest::Id& id) {
    const bool of_array = id.job == view.array_job;
    const bool is_named = id.tasks.empty()
                              ? of_array || id.job == view.step.key.attempt.job
                              : of_array && id.tasks == std::to_string(view.array_task);
    // A step on all components (-1) is shown with component 0.
    const bool on_component =
        id.component < 0 || id.component == std::max<std::int64_t>(view.step.spec.component, 0);
    return is_named && on_component && (id.step == -1 || id.step == view.step.key.number);
  });
}

// `of_job`: null if the job began after the list of jobs was made.
bool is_chosen(const SqueueRequest& request, const StepRow& view, const JobSpec* of_job) {
  const bool by_name = has(request.names, view.step.spec.name);
  if (of_job != nullptr)
    return is_chosen(request, *of_job) && (by_name || is_any(request.names, of_job->name));
  return is_any(request.users, view.user_name) && (by_name || request.names.empty()) &&
         request.accounts.empty() && request.qos.empty() && request.reservation.empty() &&
         request.licences.empty();
}

bool is_wanted(const SqueueRequest& request, const StepRow& view, const JobSpec* of_job) {
  Words nodes;
  for (const StepNode& node : view.step.nodes) nodes.push_back(node.node);
  return view.step.state == JobState::Running && is_chosen(request, view, of_job) &&
         is_in_partition(request.partitions, view.partition) && is_on_node(request.nodes, nodes) &&
         names_step(request, view);
}

StepRow script_of(const JobView& view) {
  StepRow step;
  step.uid = view.job.spec->uid;
  step.step.key = {{view.job.id, view.job.attempt}, SqueueRequest::batch_step};
  step.step.spec.name = "batch";
  step.step.state = JobState::Running;
  step.step.tasks = 1;
  step.step.started = view.job.started;
  if (!view.nodes.empty()) step.step.nodes.resize(1);
  if (!view.nodes.empty()) step.step.nodes[0].node = view.nodes.front();
  step.user_name = view.job.spec->user_name;
  step.partition = view.partition;
  step.array_job = view.job.array_job;
  step.array_task = view.job.array_task;
  step.ran_ms = view.ran_ms;
  return step;
}

bool runs_script(const JobView& view) {
  const bool runs = view.job.state == JobState::Running || view.job.state == JobState::Signaling;
  return runs && view.job.spec->form == JobForm::Batch;
}

}  // namespace

ListJobs question_of_jobs(const SqueueRequest& request) {
  ListJobs question;
  if (request.ids.size() <= limits::page_rows_max)
    for (const auto& id : request.ids) question.ids.push_back(id.job);
  if (request.states) {
    question.states = *request.states;
    // some state; no row will match
    if (question.states.empty()) question.states = {JobState::Pending};
  } else {
    std::ranges::copy_if(all_job_states, std::back_inserter(question.states),
                         [](JobState state) { return !is_final(state); });
  }
  const bool by_name = request.users.size() == 1 &&
                       request.users[0].find_first_not_of("0123456789") != std::string::npos;
  if (by_name) question.user_name = request.users[0];
  if (request.partitions.size() == 1) question.partition = request.partitions[0];
  return question;
}

std::vector<JobView> rows_of(const SqueueRequest& request, std::vector<JobView> jobs) {
  std::vector<JobView> rows;
  rows.reserve(jobs.size());
  std::erase_if(jobs, [](const JobView& view) { return is_forgotten_task(view.job); });
  for (const JobView& job : jobs)
    for (JobView& view : component_views(job))
      if (is_wanted(request, view)) add_partitions(request, std::move(view), rows);
  if (!request.array && !request.array_unique) put_tasks_together(rows);
  return rows;
}

std::vector<StepRow> step_rows(const SqueueRequest& request, const std::vector<StepView>& steps,
                               const std::vector<JobView>& jobs) {
  std::map<JobId, const JobSpec*> specs;
  for (const JobView& view : jobs) specs[view.job.id] = &*view.job.spec;
  std::vector<StepRow> rows;
  const auto add = [&](StepRow row) {
    const JobSpec* spec = specs[row.step.key.attempt.job];
    if (spec != nullptr) row.uid = spec->uid;
    if (is_wanted(request, row, spec)) rows.push_back(std::move(row));
  };
  for (const StepView& step : steps) add({step, 0});
  for (const JobView& view : jobs)
    if (runs_script(view)) add(script_of(view));
  return rows;
}

}  // namespace cox
