#include "common/base/process_text.h"

#include <algorithm>
#include <cstdio>

namespace cox {
namespace {

// Calls `take` with each entry of an environment block that begins with `begin`, until one call
// returns true. Returns whether one did.
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
  // The program's name, in parentheses, may contain a ')', so parsing starts at the last one.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessStat stat;
  int parent = 0;
  int session = 0;
  long long start = 0;
  const int got = std::sscanf(text.c_str() + name_end + 1,
                              " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                              "%*d %*d %lld",
                              &stat.state, &parent, &session, &start);
  if (got != 4) return std::nullopt;
  stat.parent = parent;
  stat.session = session;
  stat.start_ticks = start;
  return stat;
}

std::optional<ProcessUsage> parse_process_usage(const std::string& text) {
  const std::size_t name_begin = text.find('(');
  const std::size_t name_end = text.rfind(')');
  if (name_begin == std::string::npos || name_end == std::string::npos || name_end < name_begin)
    return std::nullopt;
  ProcessUsage usage;
  usage.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  long long faults = 0, user = 0, system = 0, children_user = 0, children_system = 0, vsize = 0;
  const int got = std::sscanf(text.c_str() + name_end + 1,
                              " %*c %*d %*d %*d %*d %*d %*u %*u %*u %lld %*u %lld %lld %lld %lld "
                              "%*d %*d %*d %*d %*d %lld",
                              &faults, &user, &system, &children_user, &children_system, &vsize);
  if (got != 6) return std::nullopt;
  usage.cpu_ticks = user + system + children_user + children_system;
  usage.vsize_bytes = vsize;
  usage.major_faults = faults;
  return usage;
}

std::int64_t number_of_line(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    long long number = 0;
    const std::string rest(text.substr(at + word.size(), 32));
    return std::sscanf(rest.c_str(), "%lld", &number) == 1 ? number : 0;
  }
  return 0;
}

std::optional<std::string> entry_value(std::string_view block, std::string_view name) {
  std::optional<std::string> value;
  any_entry(block, std::string(name) + "=", [&](std::string_view found) {
    const std::size_t begin = name.size() + 1;
    value = found.substr(begin, found.find('\0', begin) - begin);
    return true;
  });
  return value;
}

bool has_entry_beginning(std::string_view block, std::string_view begin) {
  return any_entry(block, begin, [](std::string_view) { return true; });
}

bool has_entry(std::string_view block, std::string_view entry) {
  return any_entry(block, entry, [&](std::string_view found) {
    return found.size() == entry.size() || found[entry.size()] == '\0';
  });
}

bool is_whole_environment(std::string_view block) {
  if (block.empty()) return false;
  while (!block.empty()) {
    const std::string_view entry = block.substr(0, block.find('\0'));
    const std::size_t sign = entry.find('=');
    if (sign == 0 || sign == std::string_view::npos) return false;
    block.remove_prefix(std::min(block.size(), entry.size() + 1));
  }
  return true;
}

}  // namespace cox
