// Advance reservations in the controller's memory, and what the engine is told of them.
#include <algorithm>

#include "common/base/check.h"
#include "controller/state/cluster.h"
#include "controller/state/reservations.h"

namespace cox {

// The engine counts by a clock that is never set.
void Cluster::tell_reservations(Now now) const {
  constexpr Milliseconds drift_max{1'000};
  const Milliseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const bool is_set =
      reservations_told_at_ && std::chrono::abs(apart - *reservations_told_at_) >= drift_max;
  if (reservations_told_at_ && !is_set && !reservations_stale_) return;
  reservations_stale_ = false;
  // When those began that run is told by the boot clock, too.
  if (is_set) running_stale_.insert(live_.begin(), live_.end());
  scheduler_->engine().set_reservations(scheduler_reservations(*this, now));
  reservations_told_at_ = apart;
}

std::vector<std::string> Cluster::take_reservation_upkeep(Boot now, Milliseconds interval,
                                                          std::size_t most) {
  if (!kept_up_to_) {
    if (now - std::max(reservations_kept_up_, loaded_) < interval) return {};
    reservations_kept_up_ = now;
    kept_up_to_ = "";
  }
  std::vector<std::string> names;
  auto next = reservations_.upper_bound(*kept_up_to_);
  for (; next != reservations_.end() && names.size() < most; ++next) names.push_back(next->first);
  if (next == reservations_.end())
    kept_up_to_.reset();
  else
    kept_up_to_ = names.back();
  return names;
}

// Whom it draws in asks otherwise from now on.
template <class Edit>
void Cluster::change_reservations(bool draws_in, Edit edit) {
  std::vector<JobId> in_line;
  if (draws_in)
    for (const JobId id : unfinished_)
      if (entry(id).in_line) in_line.push_back(id);
  for (const JobId id : in_line) leave_line(entry(id), Leaves::ToComeBack);
  edit();
  if (draws_in) requests_of_specs_.forget_all();
  for (const JobId id : in_line) enter_line(entry(id));
  if (draws_in) running_stale_.insert(live_.begin(), live_.end());
  reservations_told_at_.reset();
  ++changes_applied_;
}

void Cluster::apply_one(const ReservationPut& change, Now) {
  const auto before = reservations_.find(change.reservation.name);
  const bool drew_in = before != reservations_.end() && before->second.magnetic;
  const AdvanceReservation& now = change.reservation;
  idle_reservations_.erase(now.name);
  const bool draws_as_before = drew_in && now.magnetic && before->second.users == now.users &&
                               before->second.accounts == now.accounts &&
                               before->second.qos == now.qos;
  change_reservations((drew_in || now.magnetic) && !draws_as_before,
                      [&] { reservations_[change.reservation.name] = change.reservation; });
}

void Cluster::apply_one(const ReservationRemoved& change, Now) {
  const auto gone = reservations_.find(change.name);
  CHECK(gone != reservations_.end());
  idle_reservations_.erase(change.name);
  change_reservations(gone->second.magnetic, [&] { reservations_.erase(gone); });
}

}  // namespace cox
