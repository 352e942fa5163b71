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

// What the same line tells of what it took; of its children those that it has waited for.
struct ProcessUsage {
  std::string name;            // of its program, cut after 15 bytes
  std::int64_t cpu_ticks = 0;  // with its children
  std::int64_t vsize_bytes = 0;
  std::int64_t major_faults = 0;  // that had to wait for the disk
};
std::optional<ProcessUsage> parse_process_usage(const std::string& text);

// The number behind a word at the start of a line, as in "VmHWM:    1236 kB"; 0: there is none.
std::int64_t number_of_line(std::string_view text, std::string_view word);

// The value of an entry of an environment block; nothing: there is none.
std::optional<std::string> entry_value(std::string_view block, std::string_view name);

// Whether an entry of an environment block (NAME=value\0 ...) begins so.
bool has_entry_beginning(std::string_view block, std::string_view begin);

// Whether there is this very entry.
bool has_entry(std::string_view block, std::string_view entry);

}  // namespace cox
