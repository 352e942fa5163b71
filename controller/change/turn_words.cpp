#include "controller/change/turn_words.h"

namespace cox {
namespace {

void add_triggers(const JobChanged& change, std::set<std::string>& words) {
  for (const Transition& way : transitions)
    if (way.from == change.state_left && way.to == change.job.state)
      words.emplace(name(way.trigger));
}

}  // namespace

std::set<std::string> names_of(const std::vector<Change>& changes) {
  std::set<std::string> words;
  for (const Change& change : changes) {
    if (const auto* changed = std::get_if<JobChanged>(&change)) add_triggers(*changed, words);
    if (std::holds_alternative<JobAdded>(change)) words.emplace("Submitted");
    if (const auto* added = std::get_if<EventAdded>(&change))
      if (added->event.what != "state") words.insert(added->event.what);
  }
  return words;
}

}  // namespace cox
