#include "client/moments.h"
#include "client/show.h"

namespace cox {

std::string show_history(const HistoryPage& page, const Screen& screen) {
  if (page.events.empty()) return "Nothing is recorded of this job.\n";
  Table table({"WHEN", "TIME", "ATTEMPT", "STATE", "WHAT", "WHY", "ACTOR"});
  table.right(2);
  for (const auto& event : page.events)
    table.row({ago_text(event.at, screen),
               absolute_text(event.at, screen),
               event.attempt.value == 0 ? "-" : std::to_string(event.attempt.value),
               {std::string(name(event.state)), state_colour(event.state)},
               event.what,
               event.why,
               event.actor});
  return table.text(screen.colour);
}

}  // namespace cox
