#include "client/show/show_history.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "client/text/table.h"
#include "common/base/text.h"

namespace cox {

void order_by_time(HistoryPage& all) {
  const auto by_sequence = [&](std::size_t a, std::size_t b) {
    return all.events[a].sequence < all.events[b].sequence;
  };
  std::vector<std::size_t> order(all.events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::is_sorted(order, by_sequence)) return;
  std::ranges::sort(order, by_sequence);
  const HistoryPage as_read = std::exchange(all, {});
  all.more = as_read.more;
  for (const std::size_t at : order) {
    all.events.push_back(as_read.events[at]);
    if (!as_read.job_names.empty()) all.job_names.push_back(as_read.job_names[at]);
  }
}

// If the events belong to several tasks of an array, a further column names the job of each event.
std::string show_history(const HistoryPage& page, const Screen& screen) {
  if (page.events.empty()) return "No events of this job are recorded.\n";
  const bool several =
      page.job_names.size() == page.events.size() &&
      std::ranges::adjacent_find(page.job_names, std::not_equal_to{}) != page.job_names.end();
  std::vector<std::string> heads{"WHEN", "TIME", "ATTEMPT", "STATE", "WHAT", "ACTOR", "WHY"};
  if (several) heads.insert(heads.begin(), "JOB");
  const std::size_t first = several ? 1 : 0;
  constexpr std::size_t word_width_least = 10;
  Table table(std::move(heads));
  table.right(first + 2).wraps();
  table.shrinks(first + 4, word_width_least).shrinks(first + 5, word_width_least);
  table.leaves(first, 1).leaves(first + 2, 2).leaves(first + 5, 3).leaves(first + 3, 4);
  for (std::size_t i = 0; i < page.events.size(); ++i) {
    const JobEvent& event = page.events[i];
    std::vector<Cell> cells{ago_text(event.at, screen),
                            absolute_text(event.at, screen),
                            event.attempt.value == 0 ? "-" : std::to_string(event.attempt.value),
                            {std::string(name(event.state)), state_colour(event.state)},
                            event.what,
                            event.actor,
                            localised_text(event.why, screen)};
    if (several) cells.insert(cells.begin(), page.job_names[i]);
    table.row(std::move(cells));
  }
  return table.text(screen.colour, screen.width);
}

std::string show_events(const EventPage& page, const Screen& screen) {
  std::string text;
  for (std::size_t i = 0; i < page.events.size() && i < page.job_names.size(); ++i) {
    const JobEvent& event = page.events[i];
    std::string job = printable(page.job_names[i]);
    job.resize(std::max<std::size_t>(job.size(), 8), ' ');
    std::string state(name(event.state));
    state.resize(std::max<std::size_t>(state.size(), 12), ' ');
    text += absolute_text(event.at, screen) + "  " + job + " " + state;
    if (event.what != "state") text += " " + printable(event.what) + ":";
    text += " " + localised_text(event.why, screen) + " (" + printable(event.actor) + ")\n";
  }
  return text;
}

}  // namespace cox
