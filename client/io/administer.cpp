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

bool says_yes() {
  std::printf("Would you like to commit changes? (You have %d seconds to decide)\n(N/y): ",
              decide_s);
  std::fflush(stdout);
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, decide_s * 1000) <= 0) return false;
  char first = 0;
  return ::read(STDIN_FILENO, &first, 1) == 1 && (first == 'y' || first == 'Y');
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
  if (!says_yes()) return print({" Changes Discarded\n", "", exit_ok});
  change->test = false;
  answer = ask();
  if (auto why = refusal_of()) return print_refusal(command, *why, options, exit_refused);
  return exit_ok;
}

}  // namespace cox
