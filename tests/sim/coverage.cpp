#include "tests/sim/coverage.h"

#include <algorithm>
#include <array>

namespace cox::sim {
namespace {

// A fault is counted for each transition of a job that follows it within this virtual time.
constexpr Milliseconds bears_on{10'000};

// Triggers that no simulated job has: no job has a deadline, and none runs out of memory.
constexpr std::array never_taken{Trigger::EndedDeadline, Trigger::EndedOutOfMemory};

bool is_excused(std::size_t transition) {
  return std::ranges::find(never_taken, transitions[transition].trigger) != never_taken.end();
}

bool is_all_along(Fault fault) {
  return fault_table[static_cast<std::size_t>(fault)].comes == Comes::AllAlong;
}

}  // namespace

void Coverage::begin_story() {
  newest_.clear();
  since_.clear();
}

void Coverage::leaves(JobId job, JobState from, Trigger trigger, Milliseconds at) {
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    if (transitions[i].from != from || transitions[i].trigger != trigger) continue;
    for (const auto& [fault, came] : newest_)
      if (is_all_along(fault) || (came >= since_[job] && came + bears_on >= at))
        counted_[{i, fault}] += 1;
  }
  since_[job] = at;
}

std::size_t Coverage::possible() {
  std::size_t ways = 0;
  for (std::size_t i = 0; i < transitions.size(); ++i) ways += is_excused(i) ? 0 : 1;
  return ways * fault_count;
}

std::vector<Coverage::Point> Coverage::missing() const {
  std::vector<Point> missing;
  for (std::size_t i = 0; i < transitions.size(); ++i)
    for (const FaultRow& row : fault_table)
      if (!is_excused(i) && !counted_.contains({i, row.fault})) missing.push_back({i, row.fault});
  return missing;
}

std::size_t Coverage::seen() const {
  return possible() - missing().size();
}

std::vector<Coverage::Point> Coverage::falsely_excused() const {
  std::vector<Point> taken;
  for (const auto& [point, times] : counted_)
    if (is_excused(point.first)) taken.push_back(point);
  return taken;
}

std::string Coverage::text_of(Point point) {
  const Transition& way = transitions[point.first];
  return std::string(cox::name(way.from)) + " " + std::string(cox::name(way.trigger)) + " " +
         std::string(name(point.second));
}

}  // namespace cox::sim
