#include "common/cluster/scheduling_settings.h"

#include <charconv>

namespace cox {

const PolicyNames<PlacementPolicy>& placement_policies() {
  static const PolicyNames<PlacementPolicy> names{
      {"fgd", PlacementPolicy::Fgd},
      {"best_fit", PlacementPolicy::BestFit},
      {"packing", PlacementPolicy::Packing},
      {"spreading", PlacementPolicy::Spreading},
      {"least_free", PlacementPolicy::LeastFree},
  };
  return names;
}

const PolicyNames<OrderPolicy>& order_policies() {
  static const PolicyNames<OrderPolicy> names{
      {"multifactor", OrderPolicy::Multifactor},
      {"fcfs", OrderPolicy::Fcfs},
      {"shortest_first", OrderPolicy::ShortestFirst},
      {"least_attained", OrderPolicy::LeastAttained},
      {"shortest_remaining", OrderPolicy::ShortestRemaining},
      {"gittins", OrderPolicy::Gittins},
  };
  return names;
}

std::optional<Backfill> backfill_from(std::string_view text) {
  if (text == "none") return Backfill{0};
  if (text == "easy") return Backfill{1};
  if (text == "conservative") return Backfill{Backfill::all};
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (count < 1 || count > reservations_max) return std::nullopt;
  return Backfill{count};
}

}  // namespace cox
