// Parses the kernel's texts about a process: /proc/PID/stat and /proc/PID/environ. The caller
// reads the files and decides what an unreadable file means. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cox {

struct ProcessStat {
  char state = 0;  // as in /proc/PID/stat: 'R', 'S', ...; 'Z': exited, not yet reaped
  std::int32_t parent = 0;
  std::int32_t session = 0;      // pid of the process that began the session, which may have ended
  std::int64_t start_ticks = 0;  // clock ticks since boot; pid and start_ticks identify a process

  bool is_living() const { return state != 'Z' && state != 'X'; }
  // 'T': by a signal; 't': by a debugger.
  bool is_stopped() const { return state == 'T' || state == 't'; }
  bool waits_in_kernel() const { return state == 'D'; }  // even SIGKILL takes effect only later
};

std::optional<ProcessStat> parse_process_stat(const std::string& text);

// Resource use of a process, from /proc/PID/stat. The use of a child is included once the process
// has waited for it.
struct ProcessUsage {
  std::string name;            // the program's name, cut after 15 bytes
  std::int64_t cpu_ticks = 0;  // including children
  std::int64_t vsize_bytes = 0;
  std::int64_t major_faults = 0;  // page faults that waited for the disk
};
std::optional<ProcessUsage> parse_process_usage(const std::string& text);

// Returns the number after `word` in the line that begins with it: 1236 for "VmHWM:" in the line
// "VmHWM:    1236 kB". Returns 0 if there is no such line.
std::int64_t number_of_line(std::string_view text, std::string_view word);

// Returns the value of a variable in an environment block (NAME=value\0 ...); nothing if it is not
// set.
std::optional<std::string> entry_value(std::string_view block, std::string_view name);

// Returns whether any entry of an environment block (NAME=value\0 ...) begins with `begin`.
bool has_entry_beginning(std::string_view block, std::string_view begin);

// Returns whether an environment block contains exactly this entry.
bool has_entry(std::string_view block, std::string_view entry);

// Returns whether an environment block has only entries NAME=value, and at least one. A program
// that writes a title of its own for ps overwrites the block, which then is not whole.
bool is_whole_environment(std::string_view block);

}  // namespace cox
