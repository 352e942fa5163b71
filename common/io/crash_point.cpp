#include "common/io/crash_point.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace cox {
namespace {

// Returns the parsed COX_CRASH_AT. It is read once, because the environment does not change while a
// process runs.
const CrashWish& wish() {
  static const CrashWish wanted = [] {
    const char* text = std::getenv("COX_CRASH_AT");
    return read_crash_wish(text == nullptr ? "" : text);
  }();
  return wanted;
}

}  // namespace

CrashWish read_crash_wish(std::string_view text) {
  CrashWish wish;
  const auto colon = text.find(':');
  if (colon != std::string_view::npos)
    wish.nth = std::atoi(std::string(text.substr(colon + 1)).c_str());
  text = text.substr(0, colon);
  const auto at = text.find('@');
  wish.name = text.substr(0, at);
  if (at != std::string_view::npos) wish.held = text.substr(at + 1);
  return wish;
}

bool is_at(const CrashWish& wish, std::string_view name, const std::set<std::string>& held) {
  return !wish.name.empty() && wish.name == name && (wish.held.empty() || held.contains(wish.held));
}

bool crash_is_wished() {
  return !wish().name.empty();
}

void crash_point(const char* name, const std::set<std::string>& held) {
  static int passed = 0;
  if (!is_at(wish(), name, held) || ++passed < wish().nth) return;
  ::kill(::getpid(), SIGKILL);
}

}  // namespace cox
