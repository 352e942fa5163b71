#include "common/syntax/crontab.h"

#include <algorithm>

namespace cox {

std::string with_marked_lines(std::string_view text, std::int32_t first, std::int32_t last,
                              std::string_view mark) {
  std::string marked;
  for (std::int32_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (number >= first && number <= last) marked += mark;
    marked += text.substr(0, end);
    text.remove_prefix(end);
  }
  return marked;
}

std::int32_t line_count(std::string_view text) {
  const auto ends = static_cast<std::int32_t>(std::ranges::count(text, '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace cox
