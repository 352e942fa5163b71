#include "common/resources/tres.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Largest count and longest name. The SQL function cox.is_tres has the same limits.
constexpr std::int64_t count_max = 999'999'999'999'999;
constexpr std::size_t hours_name_bytes_max = 63;
constexpr std::string_view tres_hint = "write it like cpu=64,mem=512G,gres/gpu=8";

Refusal unreadable(std::string_view text) {
  return {quoted(text) + " is not a valid TRES list", std::string(tres_hint)};
}

struct MemoryUnit {
  char letter;
  std::int64_t mb;
};
constexpr auto memory_units = std::to_array<MemoryUnit>(
    {{'M', 1}, {'G', 1024}, {'T', 1024 * 1024}, {'P', 1024 * 1024 * 1024}});

Result<std::int64_t> parse_memory(std::string_view text) {
  std::int64_t unit_mb = 1;
  for (const MemoryUnit& unit : memory_units)
    if (text.ends_with(unit.letter)) {
      unit_mb = unit.mb;
      text.remove_suffix(1);
      break;
    }
  const auto count = parse_count(text, 0, count_max / unit_mb);
  if (!count) return count.refusal();
  return *count * unit_mb;
}

std::string format_memory(std::int64_t mb) {
  for (auto unit = memory_units.rbegin(); unit != memory_units.rend(); ++unit)
    if (mb > 0 && mb % unit->mb == 0) return std::to_string(mb / unit->mb) + unit->letter;
  return std::to_string(mb);
}

// Parses the names "cpu", "gres/gpu:h100" and "license/matlab".
Result<TresCount> parse_name(std::string_view text) {
  if (text == "cpu") return TresCount{Tres::Cpus, "", "", 0};
  if (text == "mem") return TresCount{Tres::MemoryMb, "", "", 0};
  if (text == "node") return TresCount{Tres::Nodes, "", "", 0};
  const std::size_t slash = text.find('/');
  const std::string_view kind = text.substr(0, slash);
  if (slash == std::string_view::npos || (kind != "gres" && kind != "license"))
    return Refusal{quoted(text) + " is not a TRES",
                   "possible: cpu, mem, node, gres/NAME, gres/NAME:TYPE, license/NAME"};
  const std::string_view rest = text.substr(slash + 1);
  const std::size_t colon = rest.find(':');
  TresCount one{Tres::Gres, std::string(rest.substr(0, colon)), "", 0};
  if (colon != std::string_view::npos) one.type = rest.substr(colon + 1);
  const bool typed_well =
      colon == std::string_view::npos || (kind == "gres" && is_host_name(one.type));
  if (!is_host_name(one.name) || !typed_well) return unreadable(text);
  if (kind == "license") one.what = Tres::Licences;
  if (one.what == Tres::Gres && one.name == "gpu") {
    one.what = Tres::GpuMilli;
    one.name.clear();
  }
  return one;
}

Result<TresCount> parse_one(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return unreadable(text);
  Result<TresCount> one = parse_name(text.substr(0, equals));
  if (!one) return one.refusal();
  const std::string_view number = text.substr(equals + 1);
  Result<std::int64_t> count = one->what == Tres::MemoryMb   ? parse_memory(number)
                               : one->what == Tres::GpuMilli ? parse_milli(number, 0, count_max)
                                                             : parse_count(number, 0, count_max);
  if (!count) return Refusal{tres_name(*one) + ": " + count.refusal().fact, std::string(tres_hint)};
  one->count = *count;
  return one;
}

Result<TresCount> parse_one_by_hours(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return parse_one(text);
  Result<TresCount> one = parse_one(text.substr(0, at));
  if (!one) return one.refusal();
  one->hours = text.substr(at + 1);
  if (is_hours_name(one->hours)) return one;
  return Refusal{quoted(text) + " names no hours", "write it like gres/gpu=8@nights"};
}

bool is_same(const TresCount& a, const TresCount& b) {
  return tres_name(a) == tres_name(b);
}

}  // namespace

bool is_hours_name(std::string_view name) {
  return name.size() <= hours_name_bytes_max && is_host_name(name);
}

Result<TresList> parse_tres(std::string_view text) {
  auto list = parse_tres_by_hours(text);
  if (!list) return list;
  for (const TresCount& one : *list)
    if (!one.hours.empty())
      return Refusal{format_tres({one}) + " names hours, which are not allowed here",
                     "leave out @" + one.hours};
  return list;
}

Result<TresList> parse_tres_by_hours(std::string_view text) {
  TresList list;
  if (text.empty()) return list;
  for (const std::string_view part : split(text, ',')) {
    Result<TresCount> one = parse_one_by_hours(part);
    if (!one) return one.refusal();
    for (const TresCount& before : list)
      if (is_same(before, *one) && before.hours == one->hours)
        return Refusal{quoted(text) + " counts " + tres_name(*one) + " twice" +
                           (one->hours.empty() ? "" : " for hours " + one->hours),
                       "name it once"};
    list.push_back(std::move(*one));
    if (list.size() > limits::tres_per_list_max)
      return Refusal{"it lists more than " + std::to_string(limits::tres_per_list_max) +
                         " resources, the limit",
                     "list fewer"};
  }
  return list;
}

Result<std::vector<BillingWeight>> parse_billing_weights(std::string_view text) {
  constexpr std::int64_t weight_max = 1'000'000;
  std::vector<BillingWeight> weights;
  if (text.empty()) return weights;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const Result<TresCount> of = parse_name(part.substr(0, equals));
    if (!of) return of.refusal();
    if (equals == std::string_view::npos) return unreadable(part);
    const auto milli = parse_milli(part.substr(equals + 1), 0, weight_max * 1000);
    if (!milli) return Refusal{milli.refusal().fact, unreadable(part).hint};
    weights.push_back({*of, *milli});
    if (weights.size() > limits::tres_per_list_max)
      return Refusal{
          "it weights more than " + std::to_string(limits::tres_per_list_max) + " resources",
          "name fewer"};
  }
  return weights;
}

std::string format_tres(const TresList& list) {
  std::string text;
  for (const TresCount& one : list)
    text += (text.empty() ? "" : ",") + tres_name(one) + "=" + tres_amount(one) +
            (one.hours.empty() ? "" : "@" + one.hours);
  return text;
}

TresList in_force(const TresList& list, const std::set<std::string>& open) {
  TresList force;
  for (const bool by_hours : {true, false})
    for (const TresCount& one : list) {
      const bool counts = by_hours ? open.contains(one.hours) : one.hours.empty();
      const auto has = [&](const TresCount& other) { return is_same(one, other); };
      if (counts && std::ranges::none_of(force, has)) force.push_back(one);
    }
  return force;
}

std::string tres_name(const TresCount& one) {
  const std::string type = one.type.empty() ? "" : ":" + one.type;
  switch (one.what) {
    case Tres::Jobs: return "job";
    case Tres::Nodes: return "node";
    case Tres::Cpus: return "cpu";
    case Tres::MemoryMb: return "mem";
    case Tres::GpuMilli: return "gres/gpu" + type;
    case Tres::Gres: return "gres/" + one.name + type;
    case Tres::Licences: return "license/" + one.name;
  }
  CHECK(false && "unknown Tres");
}

std::string tres_amount(const TresCount& one) {
  if (one.what == Tres::MemoryMb) return format_memory(one.count);
  return one.what == Tres::GpuMilli ? format_milli(one.count) : std::to_string(one.count);
}

std::string format_billing_weights(const std::vector<BillingWeight>& weights) {
  std::string text;
  for (const BillingWeight& weight : weights)
    text += (text.empty() ? "" : ",") + tres_name(weight.of) + "=" + format_milli(weight.milli);
  return text;
}

}  // namespace cox
