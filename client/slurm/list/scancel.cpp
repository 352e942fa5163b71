#include "client/slurm/list/scancel.h"

#include <csignal>
#include <map>

#include "client/slurm/list/squeue_rows.h"
#include "client/slurm/text/refused_words.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"

namespace cox {
namespace {

// Returns whether the request cancels whole jobs: it has neither --batch nor a --signal other than
// SIGKILL. As in Slurm, SIGKILL for a job cancels it.
bool ends_jobs(const ScancelRequest& request) {
  const bool kills = request.signal == 0 || request.signal == SIGKILL;
  return kills && !request.batch_script;
}

CancelQuestion question_for(const ScancelRequest& request, std::int32_t step) {
  if (step < 0 && ends_jobs(request))
    return ActOnJobs{request.cron ? JobVerb::CancelCron : JobVerb::Cancel, {}};
  SignalJobs signal;
  signal.step = step;
  signal.signal = request.signal;
  if (step >= 0) return signal;
  if (signal.signal == 0) signal.signal = SIGKILL;
  signal.to_steps = !request.batch_script || request.full;
  signal.to_batch = request.batch_script || request.full;
  signal.to_children = request.full;
  return signal;
}

bool is_step(std::string_view what) {
  return what.find('.') != std::string_view::npos;
}

// Returns whether scancel ignores this refusal: a whole job was to be cancelled, and it has ended
// or is unknown.
bool is_passed_over(const ScancelRequest& request, const std::string& what,
                    const std::string& why) {
  return !is_step(what) && ends_jobs(request) && (why == invalid_job_id || why == job_has_ended);
}

std::string kill_error(const std::string& what, const std::string& why) {
  return std::string("scancel: error: Kill job error on job ") + (is_step(what) ? "step " : "") +
         "id " + printable(what) + ": " + printable(why) + "\n";
}

std::string command_id_of(JobId id, const std::string& tasks, std::int32_t step) {
  return format_job_ref(id, tasks) + (step >= 0 ? "." + std::to_string(step) : "");
}

// Returns the filters of the request. Without --state, --signal is for running jobs only.
SqueueRequest filters_of(const ScancelRequest& request) {
  SqueueRequest filters = request.filters;
  filters.array_unique = true;
  if (!filters.states && !ends_jobs(request)) filters.states = {{JobState::Running}};
  return filters;
}

bool is_named(const SqueueRequest::Id& id, const Job& job) {
  const bool of_job = id.job == job.id || (is_of_array(job) && id.job == job.array_job);
  if (!of_job || id.tasks.empty()) return of_job;
  const auto asked = parse_array_tasks(id.tasks);
  return asked && is_of_array(job) && !tasks_of(job).common_with(*asked).empty();
}

// Returns what no row matches: the whole id, or some of its array tasks. Returns nothing if the
// rows match all of it.
std::optional<std::string> unknown_of(const SqueueRequest::Id& id,
                                      const std::vector<JobView>& rows) {
  const auto asked = parse_array_tasks(id.tasks);
  ArrayTasks missing = asked ? *asked : ArrayTasks{};
  bool found = false;
  for (const JobView& row : rows) {
    if (!is_named(id, row.job)) continue;
    found = true;
    if (!missing.empty()) missing = missing.without(tasks_of(row.job));
  }
  if (found && missing.empty()) return std::nullopt;
  return command_id_of(id.job, format_array_tasks(missing), id.step);
}

}  // namespace

bool needs_job_list(const ScancelRequest& request) {
  const SqueueRequest& r = request.filters;
  const bool filters = !r.accounts.empty() || !r.names.empty() || !r.nodes.empty() ||
                       !r.partitions.empty() || !r.qos.empty() || !r.reservation.empty() ||
                       !r.users.empty() || r.states.has_value() || !request.wckey.empty();
  return filters || (request.interactive && !r.ids.empty());
}

SelectedJobs jobs_named(const ScancelRequest& request) {
  SelectedJobs selected;
  for (const auto& id : request.filters.ids) {
    selected.ids.push_back(id.job);
    selected.tasks.push_back(id.tasks);
    selected.steps.push_back(id.step);
  }
  return selected;
}

// If ids are given, requests their jobs without the filters, so that a job that a filter excludes
// is not reported as unknown.
ListJobs ask_scancel(const ScancelRequest& request) {
  SqueueRequest asked;
  asked.ids = request.filters.ids;
  return question_of_jobs(asked.ids.empty() ? filters_of(request) : asked);
}

// --quiet hides the messages and keeps the exit code, as in Slurm.
Shown refuse_unknown(const ScancelRequest& request, const std::vector<JobView>& listed) {
  Shown shown;
  for (const auto& id : request.filters.ids) {
    const auto unknown = unknown_of(id, listed);
    if (!unknown) continue;
    if (!request.quiet) shown.err += kill_error(*unknown, invalid_job_id);
    shown.exit_code = exit_refused;
  }
  return shown;
}

std::vector<JobView> select_jobs(const ScancelRequest& request, std::vector<JobView> jobs) {
  std::vector<JobView> selected = rows_of(filters_of(request), std::move(jobs));
  std::erase_if(selected, [&](const JobView& view) {
    return !request.wckey.empty() && view.job.spec->wckey != request.wckey;
  });
  return selected;
}

// If one id names a step of the job and another the job itself (17.0 17), the whole job is meant.
std::set<std::int32_t> selected_steps(const ScancelRequest& request, const Job& job) {
  std::set<std::int32_t> steps;
  for (const auto& id : request.filters.ids)
    if (is_named(id, job)) steps.insert(id.step);
  if (steps.empty() || steps.contains(-1)) return {-1};
  return steps;
}

void add_row(SelectedJobs& selected, const Job& job, std::int32_t step) {
  selected.ids.push_back(is_of_array(job) ? job.array_job : job.id);
  selected.tasks.push_back(is_of_array(job) ? format_array_tasks(tasks_of(job)) : "");
  selected.steps.push_back(step);
}

std::string cancel_prompt(const JobView& view, std::int32_t step) {
  const std::string what = step < 0
                               ? "job_id=" + command_id(view.job)
                               : "step_id=" + command_id(view.job) + "." + std::to_string(step);
  return "Cancel " + what + " name=" + printable(view.job.spec->name) +
         " partition=" + printable(view.partition) + " [y/n]? ";
}

std::vector<CancelQuestion> cancel_questions(const ScancelRequest& request,
                                             const SelectedJobs& selected) {
  std::vector<CancelQuestion> questions;
  std::map<std::int32_t, std::vector<std::size_t>> by_step;
  for (std::size_t i = 0; i < selected.ids.size(); ++i) by_step[selected.steps[i]].push_back(i);
  for (const auto& [step, places] : by_step) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (k % limits::request_ids_max == 0) questions.push_back(question_for(request, step));
      std::visit(
          [&](auto& body) {
            body.ids.push_back(selected.ids[places[k]]);
            body.tasks.push_back(selected.tasks[places[k]]);
          },
          questions.back());
    }
  }
  return questions;
}

std::string no_match_text(const ScancelRequest& request) {
  const SqueueRequest& r = request.filters;
  if (r.verbose == 0) return "";
  std::vector<std::string> filters;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) filters.push_back(std::string(name) + "=" + value);
  };
  add("account", joined(r.accounts, ","));
  add("job_name", joined(r.names, ","));
  add("nodelist", compress_hostlist(r.nodes));
  add("partition", joined(r.partitions, ","));
  add("qos", joined(r.qos, ","));
  add("reservation", joined(r.reservation, ","));
  std::vector<std::string> states;
  if (r.states)
    for (const JobState state : *r.states) states.emplace_back(name(state));
  add("state", joined(states, ","));
  add("user_name", joined(r.users, ","));
  add("wckey", request.wckey);
  if (filters.empty()) return "";
  return slurm_error("scancel",
                     "No active jobs match ALL job filters, including: " + joined(filters, " "))
      .err;
}

std::string cancel_text(const ScancelRequest& request, const SelectedJobs& selected) {
  std::string text;
  if (request.filters.verbose == 0) return text;
  for (std::size_t i = 0; i < selected.ids.size(); ++i) {
    const bool step = selected.steps[i] >= 0;
    std::string what = step ? "step " : "job ";
    what += command_id_of(selected.ids[i], selected.tasks[i], selected.steps[i]);
    const std::string action = ends_jobs(request)
                                   ? "Terminating "
                                   : "Signal " + std::to_string(request.signal) + " to " +
                                         (request.batch_script ? "batch " : "");
    text += "scancel: " + action + what + "\n";
  }
  return text;
}

bool may_repeat(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes) {
  return request.signal != 0 && !outcomes.empty() &&
         std::ranges::all_of(outcomes, [](const Acted::Outcome& each) {
           return each.refused && (each.refused->fact.starts_with(job_is_pending) ||
                                   each.refused->fact.starts_with(node_is_unheard));
         });
}

Shown show_scancel(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes) {
  Shown shown;
  if (request.quiet) return shown;
  for (const auto& outcome : outcomes) {
    if (!outcome.refused) continue;
    const std::string why = slurm_words(*outcome.refused);
    const bool passed_over = is_passed_over(request, outcome.what, why);
    if (passed_over && request.filters.verbose == 0) continue;
    shown.err += kill_error(outcome.what, why);
    if (!passed_over) shown.exit_code = exit_refused;
  }
  return shown;
}

}  // namespace cox
