// sacctmgr. A change is first requested as a test, so that its effect can be shown. It is carried
// out after the user confirms, or at once with -i. Requests that only show something need no
// confirmation.
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "client/io/pages.h"
#include "client/io/private/files.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/slurm/records/sacctmgr_file.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr int decide_s = 30;  // as in Slurm

enum class Says : std::uint8_t { Yes, No, Nothing };

Says asked_back() {
  std::printf("Would you like to commit changes? (You have %d seconds to decide)\n(N/y): ",
              decide_s);
  std::fflush(stdout);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, decide_s * 1000) <= 0) return Says::Nothing;
  char first = 0;
  if (::read(STDIN_FILENO, &first, 1) != 1) return Says::Nothing;
  return first == 'y' || first == 'Y' ? Says::Yes : Says::No;
}

// Returns what is shown if nobody answers the prompt within its time. The exit code is a failure,
// so that scripts notice that nothing was changed.
Shown nobody_answered() {
  return {" Changes Discarded\n",
          "sacctmgr: no answer, so nothing was changed; -i changes without a prompt\n",
          exit_refused};
}

Result<AssociationList> associations_of(Session& session) {
  const auto answer = ask_all_pages(*session.controller, ListAssociations{});
  if (!answer) return answer.refusal();
  if (const auto* refused = std::get_if<Refused>(&*answer)) return refused->why;
  const auto* list = std::get_if<AssociationList>(&*answer);
  return list == nullptr ? Result<AssociationList>(Refusal{"Unexpected message", ""}) : *list;
}

Failure dump(Session& session, const DumpRequest& wish) {
  const auto list = associations_of(session);
  if (!list) return list.refusal();
  if (auto f = check_dump(wish, *list)) return f;
  std::string file = wish.file;
  if (file.empty()) {
    file = "./" + list->cluster + ".cfg";
    print({"", "sacctmgr: No file given, using " + printable(file) + ".\n", exit_ok});
  }
  return write_into(file, dump_text(*list));
}

// Makes one request from the whole file of `sacctmgr load`, so that the controller carries out
// either all of its lines or none.
Result<Administer> question_of_file(Session& session, const LoadRequest& wish) {
  const auto text = read_named_file(wish.file);
  if (!text) return Refusal{"Unable to read " + printable(wish.file), "name a file of accounts"};
  if (text->size() > limits::named_file_bytes_max)
    return Refusal{printable(wish.file) + " is larger than " +
                       std::to_string(limits::named_file_bytes_max) + " bytes",
                   "name a file of accounts, or load it in parts"};
  const auto list = associations_of(session);
  if (!list) return list.refusal();
  auto plan = load_plan(wish, *text, *list);
  if (!plan) return plan.refusal();
  for (const std::string& note : plan->notes) print({"", printable(note) + "\n", exit_ok});
  auto& requests = plan->requests;
  if (requests.empty()) return Refusal{"Nothing new added", ""};
  Administer ask{requests.front(), false, {}};
  ask.rest.assign(requests.begin() + 1, requests.end());
  return ask;
}

}  // namespace

int run_administer(const Command& command, const SacctmgrOptions& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  if (const auto wish = parse_dump(options.words)) {
    const Failure failed = *wish ? dump(*session, **wish) : wish->refusal();
    return failed ? print_refusal(command, *failed, options, exit_refused) : exit_ok;
  }
  Question question = command.question(options);
  if (const auto wish = parse_load(options.words)) {
    auto ask = *wish ? question_of_file(*session, **wish) : wish->refusal();
    if (!ask) return print_refusal(command, ask.refusal(), options, exit_refused);
    question = std::move(*ask);
  }
  const auto ask = [&]() -> Result<Answer> {
    return ask_all_pages(*session->controller, question);
  };
  auto* change = std::get_if<Administer>(&question);
  const bool asks_back = change != nullptr && !options.immediate;
  if (asks_back) change->test = true;
  auto answer = ask();
  const auto refusal_of = [&]() -> Failure {
    if (!answer) return answer.refusal();
    const auto* refused = std::get_if<Refused>(&*answer);
    return refused == nullptr ? Failure{} : Failure{refused->why};
  };
  const auto refuse = [&](const Refusal& why) {
    if (auto shown = show_nothing_done(why)) return print(*shown);
    return print_refusal(command, why, options, exit_refused);
  };
  if (auto why = refusal_of()) return refuse(*why);
  const int printed = print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
  if (!asks_back) return printed;
  const Says says = asked_back();
  if (says == Says::No) return print({" Changes Discarded\n", "", exit_ok});
  if (says == Says::Nothing) return print(nobody_answered());
  change->test = false;
  answer = ask();
  if (auto why = refusal_of()) return refuse(*why);
  return exit_ok;
}

}  // namespace cox
