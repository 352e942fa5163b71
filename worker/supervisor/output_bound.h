// The limit on the disk space of ranks' output files, and how often the files are checked. Ranks
// write their files directly, so Coxswain cannot stop a write; it makes a file smaller that has
// grown too large. The beginning and the newest part stay; the part between is released, and a line
// there reports it. Pure: io/files/output_look.h changes the files, as the job's user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace cox {

struct OutputFile {
  std::int64_t size = 0;       // size in bytes, including released parts
  std::int64_t allocated = 0;  // disk space that it takes, in bytes
};

// The bytes to release: [from, to). Both are at page boundaries, so that whole blocks are released.
struct OutputGap {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool operator==(const OutputGap&) const = default;
};

// Returns the part of the file to release. None: the file takes at most bytes_max of disk space, or
// bytes_max is 0 (no limit).
std::optional<OutputGap> gap_in(const OutputFile& file, std::int64_t bytes_max);

// Returns the line that is written at the beginning of the gap, for the reader of the file.
std::string gap_line(std::int64_t removed_bytes, std::int64_t bytes_max);
constexpr std::size_t gap_line_bytes_max = 256;

// The line that an earlier check left at the beginning of the gap.
struct ReportedGap {
  std::int64_t removed_bytes = 0;
  // Length of that line in bytes; 0: no earlier check removed anything.
  std::int64_t line_bytes = 0;
  bool operator==(const ReportedGap&) const = default;
};
ReportedGap read_gap_line(std::string_view text);

// How to shorten a file whose file system cannot release a part in the middle: everything from the
// gap on is cut off. Has the new size, and the line that then ends the file.
struct OutputCut {
  std::int64_t size = 0;
  std::string line;
  bool operator==(const OutputCut&) const = default;
};
OutputCut cut_for(const OutputFile& file, const OutputGap& gap, const ReportedGap& earlier,
                  std::int64_t bytes_max);

// Returns whether a disk has room for output: more than 1 MiB is free, or more than a thousandth of
// a disk that is smaller than 1,000 MiB.
bool disk_has_room(std::int64_t free_bytes, std::int64_t all_bytes);

// The size on disk, in bytes, of the largest file before a check and after it.
struct OutputUsage {
  std::int64_t found = 0;
  std::int64_t left = 0;
};

// Shortest and longest pause between checks of output files, and the pause until the next check.
// `ago`: the time between the last two checks.
constexpr Milliseconds output_look_seldom{5'000};
constexpr Milliseconds output_look_often{500};
Milliseconds pause_until_look(const OutputUsage& last, const OutputUsage& now, Milliseconds ago,
                              std::int64_t bytes_max);

}  // namespace cox
