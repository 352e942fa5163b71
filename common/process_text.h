// What the kernel tells of a process as text: /proc/PID/stat and /proc/PID/environ. Who reads the
// files decides what an unreadable one means. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cox {

struct ProcessStat {
  char state = 0;  // 'Z': exited, not yet reaped
  std::int32_t parent = 0;
  std::int64_t start_ticks = 0;  // since boot: with the pid, who it is

  bool is_living() const { return state != 'Z' && state != 'X'; }
  bool is_stopped() const { return state == 'T' || state == 't'; }  // 't': by its debugger
  bool waits_in_kernel() const { return state == 'D'; }  // handles a signal before it goes on
};

std::optional<ProcessStat> parse_process_stat(const std::string& text);

// Whether an entry of an environment block (NAME=value\0 ...) begins so.
bool has_entry_beginning(std::string_view block, std::string_view begin);

// Whether there is this very entry.
bool has_entry(std::string_view block, std::string_view entry);

}  // namespace cox
