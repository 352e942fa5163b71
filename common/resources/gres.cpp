#include "common/resources/gres.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view gpu_name = "gpu";
constexpr std::string_view none = "none";
constexpr std::string_view gres_hint =
    "write what each node must have, like gpu:2, gpu:h100:2, gpu:0.25 or fpga:u280:1";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns whether the text is a count: digits and at most one letter ("2", "4K"). Any other text is
// a type.
bool is_count(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  return end != text.begin() && text.end() - end <= 1;
}

Result<std::int64_t> parse_gres_count(std::string_view text) {
  static constexpr std::string_view units = "KMGTP";
  std::int64_t unit = 1;
  std::string_view digits = text;
  if (!text.empty() && !is_digit(text.back())) {
    const char letter = text.back();
    const bool is_lower = letter >= 'a' && letter <= 'z';
    const std::size_t power = units.find(is_lower ? static_cast<char>(letter - 'a' + 'A') : letter);
    if (power == std::string_view::npos)
      return Refusal{quoted(text) + " is not a number", std::string(gres_hint)};
    unit = std::int64_t{1} << (10 * (power + 1));
    digits.remove_suffix(1);
  }
  const auto number = parse_count(digits, 0, limits::gres_count_max / unit);
  if (!number) return Refusal{number.refusal().fact, std::string(gres_hint)};
  return *number * unit;
}

// Parses "fpga", "fpga:2", "fpga:u280" or "fpga:u280:2".
Result<GresCount> parse_other(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() > 3)
    return Refusal{quoted(text) + " has more parts than a name, a type and a number",
                   std::string(gres_hint)};
  if (!is_host_name(parts[0]))
    return Refusal{quoted(parts[0]) + " is not the name of a resource", std::string(gres_hint)};
  GresCount wish{std::string(parts[0]), "", 1};
  const bool has_count = parts.size() == 3 || (parts.size() == 2 && is_count(parts[1]));
  const bool has_type = parts.size() == 3 || (parts.size() == 2 && !has_count);
  if (has_type) {
    if (!is_host_name(parts[1]))
      return Refusal{quoted(parts[1]) + " is not a type of " + wish.name, std::string(gres_hint)};
    wish.type = parts[1];
  }
  if (has_count) {
    const Result<std::int64_t> count = parse_gres_count(parts.back());
    if (!count)
      return Refusal{"the number of " + wish.name + ": " + count.refusal().fact,
                     count.refusal().hint};
    wish.count = *count;
  }
  return wish;
}

Result<GpuWish> parse_gpu_entry(std::string_view entry) {
  if (entry == gpu_name) return GpuWish{{}, 1, whole_gpu_milli};
  return parse_gpus(entry.substr(gpu_name.size() + 1), limits::gpus_per_node_max);
}

Failure add_other(std::string_view entry, GresWish& wish) {
  Result<GresCount> other = parse_other(entry);
  if (!other) return other.refusal();
  const bool twice =
      std::any_of(wish.others.begin(), wish.others.end(), [&](const GresCount& before) {
        return before.name == other->name && before.type == other->type;
      });
  if (twice) return Refusal{quoted(entry) + " is asked for twice", "ask for the sum of both"};
  if (other->count > 0) wish.others.push_back(*std::move(other));
  return std::nullopt;
}

}  // namespace

Result<GresWish> parse_gres(std::string_view text) {
  GresWish wish;
  if (text == none || text == "NONE") return wish;
  const auto entries = split(text, ',');
  if (entries.size() > limits::gres_kinds_max)
    return Refusal{"it asks for " + std::to_string(entries.size()) +
                       " kinds of resources, and a job may have " +
                       std::to_string(limits::gres_kinds_max),
                   "ask for fewer"};
  bool has_gpus = false;
  for (const std::string_view entry : entries) {
    if (entry != gpu_name && !entry.starts_with("gpu:")) {
      if (Failure failure = add_other(entry, wish)) return *std::move(failure);
      continue;
    }
    if (has_gpus)
      return Refusal{quoted(text) + " asks for GPUs twice",
                     "ask once; to accept several types, name them with --gpu-type=h200|h100"};
    Result<GpuWish> gpus = parse_gpu_entry(entry);
    if (!gpus) return gpus.refusal();
    wish.gpus = *std::move(gpus);
    has_gpus = true;
  }
  return wish;
}

std::string format_gres(const GresWish& wish) {
  std::string text;
  if (wish.gpus.count > 0) text = std::string(gpu_name) + ":" + format_gpus(wish.gpus);
  for (const GresCount& other : wish.others) {
    if (!text.empty()) text += ',';
    text += other.name + ":";
    if (!other.type.empty()) text += other.type + ":";
    text += std::to_string(other.count);
  }
  return text.empty() ? std::string(none) : text;
}

}  // namespace cox
