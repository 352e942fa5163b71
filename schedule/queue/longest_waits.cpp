#include "schedule/queue/longest_waits.h"

#include <algorithm>

namespace cox::schedule {

void LongestWaits::learn(Standing standing, Wall started, Milliseconds waited) {
  if (waited <= Milliseconds{0}) return;
  Wall& forgotten = forgotten_[standing];
  forgotten = std::max(forgotten, started + memory_ * waited);
}

Milliseconds LongestWaits::of(Standing standing, Wall now) const {
  const auto known = forgotten_.find(standing);
  if (known == forgotten_.end()) return Milliseconds{0};
  return std::max(known->second - now, Milliseconds{0}) / memory_;
}

std::vector<LongestWaits::Kept> LongestWaits::all() const {
  std::vector<Kept> all;
  for (const auto& [standing, forgotten] : forgotten_)
    all.push_back({standing.first, standing.second, forgotten});
  return all;
}

void LongestWaits::restore(const std::vector<Kept>& kept) {
  for (const Kept& one : kept) forgotten_[{one.partition_tier, one.tier}] = one.forgotten;
}

}  // namespace cox::schedule
