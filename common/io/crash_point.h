// Named places where a test may kill this process. COX_CRASH_AT=NAME ends the process there as kill
// -9 does; with NAME:3 it ends when it passes the place for the third time. NAME@WORD counts only
// if the turn of the controller contains that item: store.after_commit@GangReady. Without the
// variable a crash point costs one comparison. HACKING.md lists all names; system tests go through
// all of them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cox {

// The parsed COX_CRASH_AT. An empty name: the variable is not set.
struct CrashWish {
  std::string name;
  std::string held;
  int nth = 1;
};
CrashWish read_crash_wish(std::string_view text);
bool is_at(const CrashWish& wish, std::string_view name, const std::set<std::string>& held);

// Returns whether COX_CRASH_AT is set. If not, callers need not compute what a turn contains.
bool crash_is_wished();
void crash_point(const char* name, const std::set<std::string>& held = {});

}  // namespace cox
