#include "common/resources/tres_weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr double weight_max = 1'000'000;
constexpr double mib_per_gib = 1024;

Refusal unreadable(std::string_view part) {
  return {quoted(part) + " is not a TRES weight", "write it like CPU=1.0,Mem=0.25G,GRES/gpu=2"};
}

// Returns how many GiB the unit after a memory weight is: 1 for "g". Nothing for an unknown unit.
std::optional<double> gib_of(std::string_view unit) {
  struct MemoryUnit {
    std::string_view letter;
    double gib;
  };
  constexpr auto units = std::to_array<MemoryUnit>({{"", 1 / mib_per_gib},
                                                    {"m", 1 / mib_per_gib},
                                                    {"g", 1},
                                                    {"t", mib_per_gib},
                                                    {"p", mib_per_gib * mib_per_gib}});
  for (const MemoryUnit& one : units)
    if (unit == one.letter) return one.gib;
  return std::nullopt;
}

struct Number {
  double value = 0;
  std::string_view unit;  // the text after the number
};

std::optional<Number> parse_number(std::string_view text) {
  Number number;
  const char* end = text.data() + text.size();
  const auto [stop, error] =
      std::from_chars(text.data(), end, number.value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number.value)) return std::nullopt;
  number.unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  return number;
}

// Parses one weight, such as "mem=0.25g". "energy" gives an empty list.
Result<std::vector<BillingWeight>> parse_weight(const std::string& part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string::npos) return unreadable(part);
  const std::string name = part.substr(0, equals);
  const auto number = parse_number(std::string_view(part).substr(equals + 1));
  if (!number) return unreadable(part);
  const bool is_memory = name == "mem";
  const auto gib = gib_of(number->unit);
  if (is_memory ? !gib.has_value() : !number->unit.empty()) return unreadable(part);
  const double weight = is_memory ? number->value / *gib : number->value;
  if (std::abs(weight) > weight_max) {
    const std::string most = std::to_string(static_cast<std::int64_t>(weight_max));
    return Refusal{
        quoted(part) + " is beyond " + most + (is_memory ? " per GiB" : "") + ", the limit",
        "make it smaller"};
  }
  if (name == "energy") return std::vector<BillingWeight>{};
  // parse_billing_weights() accepts no signs, so it gets the name with weight 0, and the weight is
  // set below.
  auto named = parse_billing_weights(name + "=0");
  if (!named) return named.refusal();
  named->front().milli = std::llround(weight * 1000);
  if (named->front().milli == 0 && weight != 0)
    return Refusal{quoted(part) + " is less than 0.001" + (is_memory ? " per GiB" : "") +
                       ", the smallest weight",
                   "multiply all weights by the same number"};
  return named;
}

}  // namespace

Result<std::vector<BillingWeight>> parse_tres_weights(std::string_view text) {
  std::vector<BillingWeight> weights;
  if (text.empty()) return weights;
  const std::string lower = lower_case(text);
  for (const std::string_view part : split(lower, ',')) {
    auto some = parse_weight(std::string(part));
    if (!some) return some.refusal();
    for (const BillingWeight& one : *some)
      if (std::ranges::find(weights, one.of, &BillingWeight::of) != weights.end())
        return Refusal{quoted(part) + " repeats a resource that has a weight already",
                       "name it once"};
    weights.insert(weights.end(), some->begin(), some->end());
    if (weights.size() > limits::tres_per_list_max)
      return Refusal{
          "it weights more than " + std::to_string(limits::tres_per_list_max) + " resources",
          "name fewer"};
  }
  return weights;
}

}  // namespace cox
