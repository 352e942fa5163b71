// scancel: requests the end of jobs, or a signal to them. If filters are given instead of job ids,
// it lists the matching jobs first.
#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>

#include "client/io/ask.h"
#include "client/io/pages.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/listing.h"
#include "client/slurm/list/scancel.h"

namespace cox {
namespace {

// A job that was just submitted is pending and cannot receive a signal yet, nor can the nodes of a
// controller that has just started. The signal is sent again after each of these pauses. Slurm's
// scancel repeats it too.
constexpr std::array<Milliseconds, 5> repeat_pauses = {Milliseconds{500}, Milliseconds{1'000},
                                                       Milliseconds{2'000}, Milliseconds{4'000},
                                                       Milliseconds{8'000}};

bool ask_for_confirmation(const std::string& prompt) {
  print({prompt, "", exit_ok});
  std::string line;
  return std::getline(std::cin, line) && (line.starts_with('y') || line.starts_with('Y'));
}

struct Selection {
  SelectedJobs selected;
  bool any_matches = true;  // whether any job matches scancel's filters
  int exit_code = exit_ok;  // exit_refused if the controller has no job with some id
};

// Lists the jobs, prints a refusal for unknown ids, and returns the jobs and steps that match. If
// scancel has --interactive, returns only those that the user confirms.
Result<Selection> select_matching_jobs(Asker& controller, const ScancelRequest& request) {
  auto listed = ask_all_pages(controller, Question{ask_scancel(request)});
  if (!listed) return listed.refusal();
  if (const auto* refused = std::get_if<Refused>(&*listed)) return refused->why;
  auto* list = std::get_if<JobList>(&*listed);
  if (list == nullptr) return Refusal{"Unexpected message", ""};
  Selection selection{{}, true, print(refuse_unknown(request, list->jobs))};
  const std::vector<JobView> matching = select_jobs(request, std::move(list->jobs));
  selection.any_matches = !matching.empty();
  for (const JobView& view : matching)
    for (const std::int32_t step : selected_steps(request, view.job))
      if (!request.interactive || ask_for_confirmation(cancel_prompt(view, step)))
        add_row(selection.selected, view.job, step);
  return selection;
}

Result<std::vector<Acted::Outcome>> ask_all(Asker& controller, const ScancelRequest& request,
                                            const SelectedJobs& selected) {
  std::vector<Acted::Outcome> outcomes;
  for (const CancelQuestion& question : cancel_questions(request, selected)) {
    auto answer =
        controller.ask(std::visit([](const auto& body) { return Question{body}; }, question));
    if (!answer) return answer.refusal();
    if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
    auto* acted = std::get_if<Acted>(&*answer);
    if (acted == nullptr) return Refusal{"Unexpected message", ""};
    outcomes.insert(outcomes.end(), std::make_move_iterator(acted->outcomes.begin()),
                    std::make_move_iterator(acted->outcomes.end()));
  }
  return outcomes;
}

Result<std::vector<Acted::Outcome>> ask_until_running(Session& session,
                                                      const ScancelRequest& request,
                                                      const SelectedJobs& selected) {
  auto outcomes = ask_all(*session.controller, request, selected);
  for (const Milliseconds pause : repeat_pauses) {
    if (!outcomes || !may_repeat(request, *outcomes)) break;
    if (request.filters.verbose > 0)
      print({"", "scancel: Job is in transitional state, retrying\n", exit_ok});
    pause_for(*session.poller, pause);
    outcomes = ask_all(*session.controller, request, selected);
  }
  return outcomes;
}

}  // namespace

int run_cancel(const Command& command, const std::vector<std::string>& words) {
  const auto read = read_scancel_request(words, surroundings());
  if (const auto* shown = std::get_if<Shown>(&read)) return print(*shown);
  const auto& request = std::get<ScancelRequest>(read);
  print({"", request.filters.notes, exit_ok});
  const auto refuse = [&](const Refusal& why) {
    return print_refusal(command, why, {}, exit_refused);
  };
  auto session = open_session(request.filters.config);
  if (!session) return refuse(session.refusal());
  if (const auto wrong = wrong_clusters("scancel", request.filters.clusters, *session->controller))
    return print(*wrong);
  const auto selection = needs_job_list(request)
                             ? select_matching_jobs(*session->controller, request)
                             : Result<Selection>(Selection{jobs_named(request)});
  if (!selection) return refuse(selection.refusal());
  if (!selection->any_matches) print({"", no_match_text(request), exit_ok});
  print({"", cancel_text(request, selection->selected), exit_ok});
  const auto outcomes = ask_until_running(*session, request, selection->selected);
  if (!outcomes) return refuse(outcomes.refusal());
  return std::max(selection->exit_code, print(show_scancel(request, *outcomes)));
}

}  // namespace cox
