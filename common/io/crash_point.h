// Named places where a test may kill this process: COX_CRASH_AT=NAME (or NAME:3 for the third time
// it is passed) makes the process end there as by kill -9. NAME@WORD counts only the times that the
// turn at hand holds such a thing: store.after_commit@GangReady. Without the variable it costs a
// compare. Every name is listed in HACKING.md; system tests go through all of them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cox {

// What COX_CRASH_AT asks for; an empty name: nothing.
struct CrashWish {
  std::string name;
  std::string held;
  int nth = 1;
};
CrashWish read_crash_wish(std::string_view text);
bool is_at(const CrashWish& wish, std::string_view name, const std::set<std::string>& held);

// Whether this process is to crash anywhere: else nobody need say what a turn holds.
bool crash_is_wished();
void crash_point(const char* name, const std::set<std::string>& held = {});

}  // namespace cox
