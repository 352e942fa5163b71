#include <unistd.h>

#include <cstdio>
#include <optional>

#include "client/command_options.h"
#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "client/show/show.h"
#include "client/show/wait_progress.h"
#include "common/base/backoff.h"
#include "common/io/clock.h"

namespace cox {
namespace {

constexpr std::int64_t poll_ms = 5'000;
constexpr Milliseconds try_again_first{500};
constexpr Milliseconds try_again_most{4'000};

void tell(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

// Progress goes to standard error. A controller that is away for a while is waited for, once it
// has been heard: what was started with `wait` in a script must not end before its job. A refusal
// for now is heard too, as that of a controller without its database.
int run_wait(const Command& command, const Options& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  return follow_to_end(command, *session, options);
}

int follow_to_end(const Command& command, Session& session, const Options& options) {
  std::optional<JobDetail> known;
  bool away = false;
  Backoff try_again(try_again_first, try_again_most, random_seed());
  for (;;) {
    const WaitJob question{options.ids.front(), known ? known->change_count : -1, poll_ms,
                           task_of(options).value_or(-1), row_of(options)};
    auto answer = session.controller->ask(question, Asker::answer_timeout + Milliseconds{poll_ms});
    if (const auto why = away_why(answer)) {
      if (!known && !answer) return print_refusal(command, *why, options, exit_unreachable);
      if (!away) tell(refusal_text({why->fact, "still waiting for it"}));
      away = true;
      pause_for(*session.poller, try_again.failed());
      continue;
    }
    away = false;
    try_again.succeeded();
    if (const auto* refused = std::get_if<Refused>(&*answer))
      return print_refusal(command, refused->why, options, exit_refused);
    auto* detail = std::get_if<JobDetail>(&*answer);
    if (detail == nullptr) continue;
    if (task_of(options)) detail->tasks_left = detail->tasks_failed = 0;  // the others matter not
    if (!command.slurm) tell(progress_lines(known, *detail, screen_now(STDERR_FILENO)));
    known = *detail;
    if (!has_ended(*known)) continue;
    return print({options.json ? json_text(*answer) : "", "", exit_code_of(*known)});
  }
}

}  // namespace cox
