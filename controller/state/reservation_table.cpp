#include "controller/state/reservation_table.h"

#include <algorithm>

namespace cox {

void ReservationTable::load(std::vector<AdvanceReservation> rows) {
  all_.clear();
  for (AdvanceReservation& row : rows) {
    std::string name = row.name;
    all_[std::move(name)] = std::move(row);
  }
}

std::vector<std::string> ReservationTable::take_upkeep(Boot now, Boot loaded, Milliseconds interval,
                                                       std::size_t most) {
  if (!kept_up_to_) {
    if (now - std::max(kept_up_, loaded) < interval) return {};
    kept_up_ = now;
    kept_up_to_ = "";
  }
  std::vector<std::string> names;
  auto next = all_.upper_bound(*kept_up_to_);
  for (; next != all_.end() && names.size() < most; ++next) names.push_back(next->first);
  if (next == all_.end())
    kept_up_to_.reset();
  else
    kept_up_to_ = names.back();
  return names;
}

}  // namespace cox
