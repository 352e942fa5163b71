#include "common/base/count_format.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::int64_t unit_milli = 1000;

}  // namespace

Result<std::int64_t> parse_count(std::string_view text, std::int64_t least, std::int64_t most) {
  const bool digits_alone = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (digits_alone && error == std::errc() && stop == end && number >= least && number <= most)
    return number;
  return Refusal{quoted(text) + " is not a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 ""};
}

Result<std::int64_t> parse_milli(std::string_view text, std::int64_t least, std::int64_t most) {
  constexpr std::size_t places = 3;
  const std::size_t point = text.find('.');
  const bool has_point = point != std::string_view::npos;
  std::string digits(has_point ? text.substr(point + 1) : "");
  const bool well_placed = has_point == !digits.empty() && digits.size() <= places;
  digits.resize(places, '0');
  const auto whole = parse_count(text.substr(0, point), 0, most / unit_milli);
  const auto part = parse_count(digits, 0, unit_milli - 1);
  if (well_placed && whole && part) {
    const std::int64_t milli = *whole * unit_milli + *part;
    if (milli >= least && milli <= most) return milli;
  }
  return Refusal{quoted(text) + " is not a number from " + format_milli(least) + " to " +
                     format_milli(most) + " with at most " + std::to_string(places) +
                     " digits after the point",
                 ""};
}

std::string format_milli(std::int64_t milli) {
  CHECK(milli >= 0);
  std::string text = std::to_string(milli / unit_milli);
  if (milli % unit_milli == 0) return text;
  std::string digits = std::to_string(unit_milli + milli % unit_milli).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

std::string run_lengths_text(const std::vector<std::int64_t>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t run = i;
    while (run < counts.size() && counts[run] == counts[i]) ++run;
    if (!text.empty()) text += ",";
    text += std::to_string(counts[i]);
    if (run - i > 1) text += "(x" + std::to_string(run - i) + ")";
    i = run;
  }
  return text;
}

}  // namespace cox
