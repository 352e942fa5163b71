// The advance reservations in the controller's memory, and when their upkeep is due (replacing lost
// nodes, ending idle ones). Part of Cluster; only Cluster changes it. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/advance_reservation.h"

namespace cox {

class ReservationTable {
 public:
  const std::map<std::string, AdvanceReservation>& all() const { return all_; }

  // For Cluster.
  void load(std::vector<AdvanceReservation> rows);
  void put(const AdvanceReservation& row) { all_[row.name] = row; }
  void remove(const std::string& name) { all_.erase(name); }
  // Returns at most `most` reservations whose upkeep is due, and records that it is done. In each
  // `interval` every reservation is returned once. The first time is one interval after `loaded`,
  // when nodes have had time to report.
  std::vector<std::string> take_upkeep(Boot now, Boot loaded, Milliseconds interval,
                                       std::size_t most);

 private:
  std::map<std::string, AdvanceReservation> all_;
  Boot kept_up_{};  // when the newest round of upkeep began
  // The last reservation returned in a round that is not finished.
  std::optional<std::string> kept_up_to_ = {};
};

}  // namespace cox
