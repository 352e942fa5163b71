#include "schedule/backfill.h"

#include <array>

#include "common/check.h"
#include "schedule/place.h"

namespace cox::schedule {

Reservation::Reservation(const Nodes& nodes, Need need, const Timeline& timeline, Boot now,
                         const Room& idle, const Room& free)
    : nodes_(nodes), need_(std::move(need)) {
  if (auto fit = timeline.earliest(need_, now)) {
    shadow_ = fit->at;
    then_ = std::move(fit->room);
    held_ = std::move(fit->shares);
    return;
  }
  const Room last = timeline.last();
  const std::array<const Room*, 2> preferred{&free, &last};
  auto shares = place(need_, nodes_, idle, preferred);
  CHECK(shares.has_value());  // a job that the idle cluster cannot hold gets no reservation
  then_ = idle;
  held_ = std::move(*shares);
}

Room Reservation::open(const Room& room) const {
  return shadow_ ? room : spare(room);
}

Room Reservation::spare(const Room& room) const {
  Room spare = room;
  if (shadow_) {
    Room limit = then_;
    limit.take(held_);
    spare.limit_to(limit);
  } else {
    spare.hold_back(held_);
  }
  return spare;
}

bool Reservation::allows(const Shares& shares, std::optional<Boot> end, const Shares& freed) const {
  if (over_by_shadow(end)) return true;
  Room room = then_;
  if (shadow_) room.give_back(freed);
  room.take(shares);
  return fits(need_, nodes_, room);
}

void Reservation::let_past(const Shares& shares, std::optional<Boot> end, const Shares& freed) {
  if (shadow_) then_.give_back(freed);
  if (over_by_shadow(end)) return;
  then_.take(shares);
  if (auto moved = shadow_ ? place(need_, nodes_, then_) : std::nullopt) held_ = std::move(*moved);
}

}  // namespace cox::schedule
