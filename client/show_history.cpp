#include <algorithm>
#include <functional>

#include "client/moments.h"
#include "client/show.h"

namespace cox {

// Of an array each event says whose it is.
std::string show_history(const HistoryPage& page, const Screen& screen) {
  if (page.events.empty()) return "Nothing is recorded of this job.\n";
  const bool several =
      page.jobs.size() == page.events.size() &&
      std::ranges::adjacent_find(page.jobs, std::not_equal_to{}) != page.jobs.end();
  std::vector<std::string> heads{"WHEN", "TIME", "ATTEMPT", "STATE", "WHAT", "WHY", "ACTOR"};
  if (several) heads.insert(heads.begin(), "JOB");
  Table table(std::move(heads));
  table.right(several ? 3 : 2);
  for (std::size_t i = 0; i < page.events.size(); ++i) {
    const JobEvent& event = page.events[i];
    std::vector<Cell> cells{ago_text(event.at, screen),
                            absolute_text(event.at, screen),
                            event.attempt.value == 0 ? "-" : std::to_string(event.attempt.value),
                            {std::string(name(event.state)), state_colour(event.state)},
                            event.what,
                            told_text(event.why, screen),
                            event.actor};
    if (several) cells.insert(cells.begin(), page.jobs[i]);
    table.row(std::move(cells));
  }
  return table.text(screen.colour);
}

}  // namespace cox
