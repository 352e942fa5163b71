// scancel: looks for the jobs that are meant, where they are not named, and asks for their end, or
// for a signal to them.
#include <algorithm>
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

// A job cannot receive a signal just after its submission. Slurm's scancel also repeats the
// request.
constexpr int repeats_max = 3;
constexpr Milliseconds repeat_pause{5'000};

bool says_yes(const std::string& prompt) {
  print({prompt, "", exit_ok});
  std::string line;
  return std::getline(std::cin, line) && (line.starts_with('y') || line.starts_with('Y'));
}

struct Looked {
  JobsMeant meant;
  bool any_matches = true;  // the filters
  int exit_code = exit_ok;  // of ids that are unknown
};

// Those that the list has of them, and of which a person says yes.
Result<Looked> look_for(Asker& controller, const ScancelRequest& request) {
  auto listed = ask_all_pages(controller, Question{ask_scancel(request)});
  if (!listed) return listed.refusal();
  if (const auto* refused = std::get_if<Refused>(&*listed)) return refused->why;
  auto* list = std::get_if<JobList>(&*listed);
  if (list == nullptr) return Refusal{"Unexpected message", ""};
  Looked looked{{}, true, print(refuse_unknown(request, list->jobs))};
  const std::vector<JobView> matching = jobs_meant(request, std::move(list->jobs));
  looked.any_matches = !matching.empty();
  for (const JobView& view : matching)
    for (const std::int32_t step : steps_meant(request, view.job))
      if (!request.interactive || says_yes(cancel_prompt(view, step)))
        add_row(looked.meant, view.job, step);
  return looked;
}

Result<std::vector<Acted::Outcome>> ask_all(Asker& controller, const ScancelRequest& request,
                                            const JobsMeant& meant) {
  std::vector<Acted::Outcome> outcomes;
  for (const CancelQuestion& question : cancel_questions(request, meant)) {
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
                                                      const JobsMeant& meant) {
  auto outcomes = ask_all(*session.controller, request, meant);
  for (int i = 0; i < repeats_max && outcomes && may_repeat(request, *outcomes); ++i) {
    if (request.meant.verbose > 0)
      print({"", "scancel: Job is in transitional state, retrying\n", exit_ok});
    pause_for(*session.poller, repeat_pause);
    outcomes = ask_all(*session.controller, request, meant);
  }
  return outcomes;
}

Failure refuse_clusters(Asker& controller, const ScancelRequest& request,
                        std::optional<Shown>& wrong) {
  if (request.meant.clusters.empty()) return std::nullopt;
  auto answer = controller.ask(ShowCluster{});
  if (!answer) return answer.refusal();
  const auto* cluster = std::get_if<ClusterView>(&*answer);
  if (cluster == nullptr) return Refusal{"Unexpected message", ""};
  wrong = refuse_other_clusters("scancel", request.meant.clusters, cluster->name);
  return std::nullopt;
}

}  // namespace

int run_cancel(const Command& command, const std::vector<std::string>& words) {
  const auto read = read_scancel_request(words, surroundings());
  if (const auto* shown = std::get_if<Shown>(&read)) return print(*shown);
  const auto& request = std::get<ScancelRequest>(read);
  print({"", request.meant.notes, exit_ok});
  const auto refuse = [&](const Refusal& why) {
    return print_refusal(command, why, {}, exit_refused);
  };
  auto session = open_session(request.meant.config);
  if (!session) return refuse(session.refusal());
  std::optional<Shown> wrong;
  if (Failure failure = refuse_clusters(*session->controller, request, wrong))
    return refuse(*failure);
  if (wrong) return print(*wrong);
  const auto looked = looks_first(request) ? look_for(*session->controller, request)
                                           : Result<Looked>(Looked{jobs_named(request)});
  if (!looked) return refuse(looked.refusal());
  if (!looked->any_matches) print({"", no_match_text(request), exit_ok});
  print({"", told_cancel(request, looked->meant), exit_ok});
  const auto outcomes = ask_until_running(*session, request, looked->meant);
  if (!outcomes) return refuse(outcomes.refusal());
  return std::max(looked->exit_code, print(show_scancel(request, *outcomes)));
}

}  // namespace cox
