// sacctmgr: what would be done is shown, and done when a person says so. What only shows is asked
// as any other question.
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "client/io/pages.h"
#include "client/io/run.h"

namespace cox {
namespace {

constexpr int decide_s = 30;  // Slurm's

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

// A script must not take it for done.
Shown nobody_answered() {
  return {" Changes Discarded\n",
          "sacctmgr: nobody has answered, so nothing was changed; -i changes without asking\n",
          exit_refused};
}

}  // namespace

int run_administer(const Command& command, const Options& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  Question question = command.question(options);
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
  if (auto why = refusal_of()) return print_refusal(command, *why, options, exit_refused);
  const int printed = print(command.show(*answer, options, screen_now(STDOUT_FILENO)));
  if (!asks_back) return printed;
  const Says says = asked_back();
  if (says == Says::No) return print({" Changes Discarded\n", "", exit_ok});
  if (says == Says::Nothing) return print(nobody_answered());
  change->test = false;
  answer = ask();
  if (auto why = refusal_of()) return print_refusal(command, *why, options, exit_refused);
  return exit_ok;
}

}  // namespace cox
