#include "client/slurm/scancel.h"

#include <csignal>
#include <map>

#include "client/slurm/refused_words.h"
#include "client/slurm/squeue_rows.h"
#include "common/job_ref.h"
#include "common/limits.h"
#include "common/text.h"

namespace cox {
namespace {

// As in Slurm, SIGKILL to a whole job is its end.
bool ends_jobs(const ScancelRequest& request) {
  const bool kills = request.signal == 0 || request.signal == SIGKILL;
  return kills && !request.batch_script;
}

CancelQuestion question_for(const ScancelRequest& request, std::int32_t step) {
  if (step < 0 && ends_jobs(request)) return ActOnJobs{JobVerb::Cancel, {}};
  SignalJobs signal;
  signal.step = step;
  signal.signal = request.signal;
  if (step >= 0) {
    if (request.signal == SIGKILL) signal.signal = 0;
    return signal;
  }
  if (signal.signal == 0) signal.signal = SIGKILL;
  signal.to_steps = !request.batch_script || request.full;
  signal.to_batch = request.batch_script || request.full;
  signal.to_children = request.full;
  return signal;
}

bool is_step(std::string_view what) {
  return what.find('.') != std::string_view::npos;
}

// That a job to be ended is gone already is as well.
bool is_passed_over(const ScancelRequest& request, const std::string& what,
                    const std::string& why) {
  return !is_step(what) && ends_jobs(request) && (why == invalid_job_id || why == job_has_ended);
}

}  // namespace

bool looks_first(const ScancelRequest& request) {
  const SqueueRequest& r = request.meant;
  const bool filters = !r.accounts.empty() || !r.names.empty() || !r.nodes.empty() ||
                       !r.partitions.empty() || !r.qos.empty() || !r.reservation.empty() ||
                       !r.users.empty() || r.states.has_value() || !request.wckey.empty();
  return filters || (request.interactive && !r.ids.empty());
}

JobsMeant jobs_named(const ScancelRequest& request) {
  JobsMeant meant;
  for (const auto& id : request.meant.ids) {
    meant.ids.push_back(id.job);
    meant.tasks.push_back(id.tasks);
    meant.steps.push_back(id.step);
  }
  return meant;
}

// Those that a signal can reach, where one is to be sent.
ListJobs ask_scancel(const ScancelRequest& request) {
  SqueueRequest meant = request.meant;
  if (!meant.states && !ends_jobs(request)) meant.states = {{JobState::Running}};
  return question_of_jobs(meant);
}

std::vector<JobView> jobs_meant(const ScancelRequest& request, std::vector<JobView> jobs) {
  SqueueRequest rows = request.meant;
  rows.array_unique = true;
  std::vector<JobView> meant = rows_of(rows, std::move(jobs));
  std::erase_if(meant, [&](const JobView& view) {
    return !request.wckey.empty() && view.job.spec->wckey != request.wckey;
  });
  return meant;
}

void add_row(JobsMeant& meant, const Job& job) {
  meant.ids.push_back(is_of_array(job) ? job.array_job : job.id);
  meant.tasks.push_back(is_of_array(job) ? format_array_tasks(tasks_of(job)) : "");
  meant.steps.push_back(-1);
}

std::string cancel_prompt(const JobView& view) {
  return "Cancel job_id=" + told_id(view.job) + " name=" + printable(view.job.spec->name) +
         " partition=" + printable(view.partition) + " [y/n]? ";
}

std::vector<CancelQuestion> cancel_questions(const ScancelRequest& request,
                                             const JobsMeant& meant) {
  std::vector<CancelQuestion> questions;
  std::map<std::int32_t, std::vector<std::size_t>> by_step;
  for (std::size_t i = 0; i < meant.ids.size(); ++i) by_step[meant.steps[i]].push_back(i);
  for (const auto& [step, places] : by_step) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (k % limits::request_ids_max == 0) questions.push_back(question_for(request, step));
      std::visit(
          [&](auto& body) {
            body.ids.push_back(meant.ids[places[k]]);
            body.tasks.push_back(meant.tasks[places[k]]);
          },
          questions.back());
    }
  }
  return questions;
}

std::string told_cancel(const ScancelRequest& request, const JobsMeant& meant) {
  std::string text;
  if (request.meant.verbose == 0) return text;
  for (std::size_t i = 0; i < meant.ids.size(); ++i) {
    const bool step = meant.steps[i] >= 0;
    std::string what = step ? "step " : "job ";
    what += format_job_ref(meant.ids[i], meant.tasks[i]);
    if (step) what += "." + std::to_string(meant.steps[i]);
    const std::string deed = ends_jobs(request)
                                 ? "Terminating "
                                 : "Signal " + std::to_string(request.signal) + " to " +
                                       (request.batch_script ? "batch " : "");
    text += "scancel: " + deed + what + "\n";
  }
  return text;
}

Shown show_scancel(const ScancelRequest& request, const std::vector<Acted::Outcome>& outcomes) {
  Shown shown;
  if (request.quiet) return shown;
  for (const auto& outcome : outcomes) {
    if (!outcome.refused) continue;
    const std::string why = slurm_words(*outcome.refused);
    const bool passed_over = is_passed_over(request, outcome.what, why);
    if (passed_over && request.meant.verbose == 0) continue;
    shown.err += std::string("scancel: error: Kill job error on job ") +
                 (is_step(outcome.what) ? "step " : "") + "id " + printable(outcome.what) + ": " +
                 printable(why) + "\n";
    if (!passed_over) shown.exit_code = exit_refused;
  }
  return shown;
}

}  // namespace cox
