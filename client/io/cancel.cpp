// scancel: looks for the jobs that are meant, where they are not named, and asks for their end, or
// for a signal to them.
#include <unistd.h>

#include <iterator>

#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/slurm/answers.h"
#include "common/job_ref.h"

namespace cox {
namespace {

// The row and no more: an array's id means all of it.
void add_row(JobsMeant& meant, const Job& job) {
  meant.ids.push_back(is_of_array(job) ? job.array_job : job.id);
  meant.tasks.push_back(is_of_array(job) ? format_array_tasks(tasks_of(job)) : "");
  meant.steps.push_back(-1);
}

// Of each of the questions the outcomes, in one answer; or the first that is none.
Result<Answer> ask_all(Asker& controller, const std::vector<Question>& questions) {
  Acted all;
  for (const Question& question : questions) {
    auto answer = controller.ask(question);
    if (!answer) return answer;
    auto* acted = std::get_if<Acted>(&*answer);
    if (acted == nullptr) return answer;
    all.outcomes.insert(all.outcomes.end(), std::make_move_iterator(acted->outcomes.begin()),
                        std::make_move_iterator(acted->outcomes.end()));
  }
  return Answer{std::move(all)};
}

Result<Answer> cancel(Asker& controller, const Options& options) {
  JobsMeant meant{options.ids, options.tasks, options.job_steps};
  if (names_jobs_by_filter(options)) {
    auto listed = ask_all_pages(controller, ask_scancel(options));
    if (!listed) return listed;
    const auto* list = std::get_if<JobList>(&*listed);
    if (list == nullptr) return listed;
    meant = {};
    for (const JobView& view : list->jobs) add_row(meant, view.job);
  }
  return ask_all(controller, cancel_questions(options, meant));
}

}  // namespace

int run_cancel(const Command& command, const Options& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  const auto answer = cancel(*session->controller, options);
  if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return print_refusal(command, refused->why, options, exit_refused);
  return print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
}

}  // namespace cox
