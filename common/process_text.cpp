#include "common/process_text.h"

#include <cstdio>

namespace cox {
namespace {

// The entries that begin so, one after the other, until `take` wants no more.
template <class Take>
bool any_entry(std::string_view block, std::string_view begin, Take take) {
  for (std::size_t at = block.find(begin); at != std::string_view::npos;
       at = block.find(begin, at + 1)) {
    const bool is_start = at == 0 || block[at - 1] == '\0';
    if (is_start && take(block.substr(at))) return true;
  }
  return false;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(const std::string& text) {
  // The name in parentheses may hold anything, so count from the last one.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessStat stat;
  int parent = 0;
  long long start = 0;
  const int got = std::sscanf(text.c_str() + name_end + 1,
                              " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                              "%*d %*d %lld",
                              &stat.state, &parent, &start);
  if (got != 3) return std::nullopt;
  stat.parent = parent;
  stat.start_ticks = start;
  return stat;
}

bool has_entry_beginning(std::string_view block, std::string_view begin) {
  return any_entry(block, begin, [](std::string_view) { return true; });
}

bool has_entry(std::string_view block, std::string_view entry) {
  return any_entry(block, entry, [&](std::string_view found) {
    return found.size() == entry.size() || found[entry.size()] == '\0';
  });
}

}  // namespace cox
