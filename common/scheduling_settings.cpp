#include "common/scheduling_settings.h"

#include <array>
#include <charconv>
#include <utility>

namespace cox {
namespace {

constexpr std::array<std::pair<PlacementPolicy, std::string_view>, 5> placement_names{{
    {PlacementPolicy::Fgd, "fgd"},
    {PlacementPolicy::BestFit, "best_fit"},
    {PlacementPolicy::Packing, "packing"},
    {PlacementPolicy::Spreading, "spreading"},
    {PlacementPolicy::LeastFree, "least_free"},
}};

constexpr std::array<std::pair<OrderPolicy, std::string_view>, 5> order_names{{
    {OrderPolicy::Multifactor, "multifactor"},
    {OrderPolicy::Fcfs, "fcfs"},
    {OrderPolicy::ShortestFirst, "shortest_first"},
    {OrderPolicy::LeastAttained, "least_attained"},
    {OrderPolicy::ShortestRemaining, "shortest_remaining"},
}};

std::string words(const auto& names) {
  std::string text;
  for (const auto& [policy, name] : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

std::string placement_policy_words() {
  return words(placement_names);
}

std::string order_policy_words() {
  return words(order_names);
}

std::string_view name(PlacementPolicy policy) {
  for (const auto& [known, text] : placement_names)
    if (known == policy) return text;
  return "";
}

std::optional<PlacementPolicy> placement_policy_from(std::string_view name) {
  for (const auto& [policy, text] : placement_names)
    if (text == name) return policy;
  return std::nullopt;
}

std::string_view name(OrderPolicy policy) {
  for (const auto& [known, text] : order_names)
    if (known == policy) return text;
  return "";
}

std::optional<OrderPolicy> order_policy_from(std::string_view name) {
  for (const auto& [policy, text] : order_names)
    if (text == name) return policy;
  return std::nullopt;
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
