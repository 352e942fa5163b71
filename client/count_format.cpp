#include "client/count_format.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "common/text.h"

namespace cox {

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

}  // namespace cox
