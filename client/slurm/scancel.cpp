#include <csignal>
#include <map>

#include "client/slurm/answers.h"
#include "common/limits.h"
#include "common/text.h"

namespace cox {
namespace {

// As in Slurm, SIGKILL to a whole job is its end.
bool ends_jobs(const Options& options) {
  const bool kills = options.signal == 0 || options.signal == SIGKILL;
  return kills && !options.batch_script;
}

Question question_for(const Options& options, std::int32_t step) {
  if (step < 0 && ends_jobs(options)) return ActOnJobs{JobVerb::Cancel, {}};
  SignalJobs signal;
  signal.step = step;
  signal.signal = options.signal;
  if (step >= 0) {
    if (options.signal == SIGKILL) signal.signal = 0;
    return signal;
  }
  if (signal.signal == 0) signal.signal = SIGKILL;
  signal.to_steps = !options.batch_script || options.full;
  signal.to_batch = options.batch_script || options.full;
  signal.to_children = options.full;
  return signal;
}

void add(Question& question, JobId id, const std::string& tasks) {
  std::visit(
      [&](auto& body) {
        if constexpr (requires { body.ids.push_back(id), body.tasks.push_back(tasks); }) {
          body.ids.push_back(id);
          body.tasks.push_back(tasks);
        }
      },
      question);
}

}  // namespace

bool names_jobs_by_filter(const Options& options) {
  return !options.user_name.empty() || !options.partition.empty() || !options.states.empty();
}

// Which jobs are meant: those that a signal can reach, where one is to be sent.
Question ask_scancel(const Options& options) {
  std::vector<JobState> states = options.states;
  if (states.empty() && !ends_jobs(options)) states = {JobState::Running};
  return ListJobs{options.ids,       states,  options.user_name,
                  options.partition, JobId{}, options.tasks};
}

std::vector<Question> cancel_questions(const Options& options, const JobsMeant& meant) {
  std::vector<Question> questions;
  std::map<std::int32_t, std::vector<std::size_t>> by_step;
  for (std::size_t i = 0; i < meant.ids.size(); ++i) by_step[meant.steps[i]].push_back(i);
  for (const auto& [step, places] : by_step) {
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (k % limits::request_ids_max == 0) questions.push_back(question_for(options, step));
      add(questions.back(), meant.ids[places[k]], meant.tasks[places[k]]);
    }
  }
  return questions;
}

// Says nothing when all went well: callers take any output for a warning.
Shown show_scancel(const Answer& answer, const Options& options, const Screen&) {
  const auto* acted = std::get_if<Acted>(&answer);
  if (acted == nullptr) return {"", "scancel: error: Unexpected message\n", exit_refused};
  Shown shown;
  if (options.quiet) return shown;
  for (const auto& outcome : acted->outcomes) {
    if (!outcome.refused) continue;
    const bool is_step = outcome.what.find('.') != std::string::npos;
    shown.err += std::string("scancel: error: Kill job error on job ") + (is_step ? "step " : "") +
                 "id " + printable(outcome.what) + ": " + printable(outcome.refused->fact) + "\n";
    shown.exit_code = exit_refused;
  }
  return shown;
}

}  // namespace cox
