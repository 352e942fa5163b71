// `cox events`: shows recent events of jobs, and with -f also new ones as they happen. It does not
// poll for new events: the controller replies when there is one.
#include <unistd.h>

#include <cstdio>

#include "client/io/run.h"
#include "client/io/screen_output.h"
#include "client/show/json.h"
#include "client/show/show_history.h"
#include "client/show/show_words.h"
#include "common/base/backoff.h"
#include "common/io/clock.h"

namespace cox {
namespace {

constexpr std::int64_t wait_ms = 20'000;
constexpr Milliseconds try_again_first{500};
constexpr Milliseconds try_again_most{4'000};

void tell(const Refusal& why) {
  const std::string text = refusal_text(why);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// Prints the events of the page. Returns false if standard output takes no more, as in `cox events
// -f | head`.
bool print_page(const EventPage& page, const EventsOptions& options) {
  std::string text;
  if (options.json)
    for (std::size_t i = 0; i < page.events.size() && i < page.job_names.size(); ++i)
      text += json_line(page.events[i], page.job_names[i]);
  else
    text = show_events(page, screen_now(STDOUT_FILENO));
  return print({text, "", exit_ok}) == exit_ok;
}

}  // namespace

int run_events(const Command& command, const EventsOptions& options) {
  auto session = open_session(options.config);
  if (!session) return print_refusal(command, session.refusal(), options, exit_refused);
  FollowEvents question{{}, options.follow ? -1 : 0, 0, options.ids, options.user_name};
  bool heard = false;
  bool away = false;
  Backoff try_again(try_again_first, try_again_most, random_seed());
  for (;;) {
    auto answer =
        session->controller->ask(question, Asker::answer_timeout + Milliseconds{question.wait_ms});
    if (const auto why = temporary_failure(answer); why && options.follow && heard) {
      if (!away) tell({why->fact, "still waiting for it"});
      away = true;
      pause_for(*session->poller, try_again.failed());
      continue;
    }
    if (!answer) return print_refusal(command, answer.refusal(), options, exit_unreachable);
    if (const auto* refused = std::get_if<Refused>(&*answer))
      return print_refusal(command, refused->why, options, exit_refused);
    const auto* page = std::get_if<EventPage>(&*answer);
    if (page == nullptr) continue;
    heard = true;
    away = false;
    try_again.succeeded();
    if (page->missed)
      tell(
          {"some events are missing here: the controller keeps only the newest, and a new leader "
           "has none from before",
           "`cox history JOB` shows all events of a job"});
    if (!print_page(*page, options)) return exit_refused;
    const bool more = page->last != question.after && !page->events.empty();
    if (!options.follow && !more) return exit_ok;
    question.term = page->term;
    question.after = page->last;
    question.wait_ms = options.follow ? wait_ms : 0;
  }
}

}  // namespace cox
