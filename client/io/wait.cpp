#include <unistd.h>

#include <cstdio>
#include <optional>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/job_lines.h"
#include "client/show/json.h"
#include "client/show/show_words.h"
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

// `cox wait`: prints progress to stderr until the job has ended. If the controller has answered
// once, even with the refusal that it has no database now, `cox wait` waits while the controller
// does not answer: a script that calls `cox wait` must not go on before the job has ended.
int run_wait(const Command& command, const JobsOptions& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  return follow_to_end(command, *session, options, true);
}

int follow_to_end(const Command& command, Session& session, const JobsOptions& options,
                  bool shows_progress) {
  std::optional<JobDetail> known;
  bool away = false;
  Backoff try_again(try_again_first, try_again_most, random_seed());
  for (;;) {
    const WaitJob question{options.ids.front(), known ? known->change_count : -1, poll_ms,
                           task_of(options).value_or(-1), row_of(options)};
    auto answer = session.controller->ask(question, Asker::answer_timeout + Milliseconds{poll_ms});
    if (const auto why = temporary_failure(answer)) {
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
    // For one named array task, the other tasks of the array do not matter.
    if (task_of(options)) detail->tasks_left = detail->tasks_failed = 0;
    if (shows_progress) tell(progress_lines(known, *detail, screen_now(STDERR_FILENO)));
    known = *detail;
    if (!has_ended(*known)) continue;
    return print({options.json ? json_text(*answer) : "", "", exit_code_of(*known)});
  }
}

}  // namespace cox
