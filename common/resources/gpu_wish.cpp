#include "common/resources/gpu_wish.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/resources/gpu_vendor.h"

namespace cox {
namespace {

constexpr std::int64_t ratio_one_milli = 1000;
constexpr std::string_view gpus_hint =
    "ask for a number of GPUs, like 2 or h100:2 (in --gres gpu:h100:2), or for a part of one, "
    "like 0.25";
constexpr std::string_view types_hint =
    "name the accepted types, like h200|h100:0.8, each with its speed if they differ; + joins "
    "types that the job uses together";
constexpr std::string_view prices_hint = "name types with their prices, like h200:3.6|h100:2.1";

// What the number after a type means, for messages: the speed of the type, or its price.
struct Rating {
  std::string_view noun;
  std::string_view hint;
};
constexpr Rating speed{"speed", types_hint};
constexpr Rating price{"price", prices_hint};

// Returns whether the text consists of digits and points. The type of GPU "3g.20gb" does not.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

Failure check_type(std::string_view type, std::string_view hint) {
  if (is_host_name(type)) return std::nullopt;
  return Refusal{quoted(type) + " is not a type of GPU", std::string(hint)};
}

Result<GpuTypeWish> parse_type(std::string_view text, const Rating& rating) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  if (Failure failure = check_type(type, rating.hint)) return *std::move(failure);
  GpuTypeWish wish{std::string(type), ratio_one_milli};
  if (colon == std::string_view::npos) return wish;
  const auto ratio =
      parse_milli(text.substr(colon + 1), 1, limits::gpu_ratio_max * ratio_one_milli);
  if (!ratio)
    return Refusal{
        "the " + std::string(rating.noun) + " of " + wish.type + ": " + ratio.refusal().fact,
        std::string(rating.hint)};
  wish.ratio_milli = *ratio;
  return wish;
}

// "2" or "0.25"
Failure set_count(std::string_view text, std::int64_t most, GpuWish& wish) {
  const bool is_part = text.find('.') != std::string_view::npos;
  const auto number =
      is_part ? parse_milli(text, 1, whole_gpu_milli - 1) : parse_count(text, 0, most);
  if (!number)
    return Refusal{
        (is_part ? "the part of a GPU: " : "the number of GPUs: ") + number.refusal().fact,
        std::string(gpus_hint)};
  wish.count = is_part ? 1 : *number;
  if (is_part) wish.milli = *number;
  return std::nullopt;
}

// Splits a list of types at "|" and, if the numbers are speeds, also at "+". Returns the parts in
// the order written; the bool of a part is whether "+" precedes it.
std::vector<std::pair<std::string_view, bool>> parts_of(std::string_view text,
                                                        const Rating& rating) {
  std::vector<std::pair<std::string_view, bool>> parts;
  const bool may_join = &rating == &speed;
  for (const std::string_view either : split(text, '|')) {
    bool joined = false;
    for (const std::string_view part : split(either, may_join ? '+' : '|'))
      parts.emplace_back(part, std::exchange(joined, true));
  }
  return parts;
}

Failure check_vendors(const std::vector<GpuTypeWish>& types) {
  for (std::size_t i = 1; i < types.size(); ++i)
    if (types[i].with_previous && gpu_vendor(types[i].type) != gpu_vendor(types[i - 1].type))
      return Refusal{types[i - 1].type + " and " + types[i].type +
                         " are GPUs of two vendors, which no job can use together",
                     "write | between them to accept either"};
  return std::nullopt;
}

Result<std::vector<GpuTypeWish>> parse_types(std::string_view text, const Rating& rating) {
  std::vector<GpuTypeWish> types;
  for (const auto& [part, joined] : parts_of(text, rating)) {
    Result<GpuTypeWish> type = parse_type(part, rating);
    if (!type) return type.refusal();
    type->with_previous = joined;
    if (types.size() == limits::gpu_types_max)
      return Refusal{quoted(text) + " names more than " + std::to_string(limits::gpu_types_max) +
                         " types of GPU",
                     "name fewer"};
    const bool twice = std::any_of(types.begin(), types.end(), [&](const GpuTypeWish& other) {
      return other.type == type->type;
    });
    if (twice)
      return Refusal{quoted(text) + " names the type " + type->type + " twice", "name it once"};
    types.push_back(*std::move(type));
  }
  if (Failure failure = check_vendors(types)) return *std::move(failure);
  return types;
}

}  // namespace

Result<std::vector<GpuTypeWish>> parse_gpu_types(std::string_view text) {
  return parse_types(text, speed);
}

Result<std::vector<GpuPrice>> parse_gpu_prices(std::string_view text) {
  const Result<std::vector<GpuTypeWish>> types = parse_types(text, price);
  if (!types) return types.refusal();
  std::vector<GpuPrice> prices;
  for (const GpuTypeWish& type : *types) prices.push_back({type.type, type.ratio_milli});
  return prices;
}

std::string format_gpu_types(const std::vector<GpuTypeWish>& types) {
  std::string text;
  for (const GpuTypeWish& wish : types) {
    if (!text.empty()) text += wish.with_previous ? '+' : '|';
    text += wish.type;
    if (wish.ratio_milli != ratio_one_milli) text += ":" + format_milli(wish.ratio_milli);
  }
  return text;
}

Result<GpuWish> parse_gpus(std::string_view text, std::int64_t most) {
  GpuWish wish;
  wish.count = 1;
  const std::size_t colon = text.find(':');
  const bool has_type = colon != std::string_view::npos || !is_number(text);
  const bool has_count = colon != std::string_view::npos || !has_type;
  if (has_type) {
    const std::string_view type = text.substr(0, colon);
    if (Failure failure = check_type(type, gpus_hint)) return *std::move(failure);
    wish.types = {{std::string(type), ratio_one_milli}};
  }
  if (!has_count) return wish;
  if (Failure failure = set_count(has_type ? text.substr(colon + 1) : text, most, wish))
    return *std::move(failure);
  return wish.count == 0 ? GpuWish{} : wish;
}

std::string format_gpus(const GpuWish& wish) {
  std::string text;
  if (wish.types.size() == 1) text = wish.types.front().type + ":";
  return text + (wish.is_whole() ? std::to_string(wish.count) : format_milli(wish.milli));
}

// ---- preference ------------------------------------------------------------------------------

const std::vector<std::pair<std::string_view, Preference>>& preferences() {
  static const std::vector<std::pair<std::string_view, Preference>> all{
      {"balanced", Preference::Balanced}, {"cost", Preference::Cost}, {"speed", Preference::Speed}};
  return all;
}

std::string_view name(Preference preference) {
  return preferences()[static_cast<std::size_t>(preference)].first;
}

Result<Preference> parse_preference(std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto& [spelling, preference] : preferences()) {
    if (text == spelling) return preference;
    names.push_back(spelling);
  }
  const std::string suggestion = did_you_mean(text, names);
  return Refusal{quoted(text) + " is not a GPU preference",
                 suggestion.empty() ? "write cost, speed or balanced" : suggestion};
}

}  // namespace cox
