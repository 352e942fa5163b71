// What the files that ranks write their output into may take of a disk, and when they are looked
// at. Ranks write by themselves: nothing passes a program of ours that could stop it, so a file
// that has grown too large is made smaller. Its beginning and what is newest stay; what was between
// is released, and a line there says so. Pure: io/output_look.h does it, as the job's user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace cox {

struct OutputFile {
  std::int64_t size = 0;       // bytes up to its end
  std::int64_t allocated = 0;  // bytes of the disk that it takes
};

// From a first byte on up to the one that is kept again; both at the borders of pages, so that
// whole blocks are released.
struct OutputGap {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool operator==(const OutputGap&) const = default;
};

// What is to be released; none: it may stay as it is. bytes_max 0: it may take what it will.
std::optional<OutputGap> gap_in(const OutputFile& file, std::int64_t bytes_max);

// Stands at the beginning of the gap, in lines of its own.
std::string gap_line(std::int64_t removed_bytes, std::int64_t bytes_max);
constexpr std::size_t gap_line_bytes_max = 256;

// What stands at the beginning of the gap from an earlier time.
struct ToldGap {
  std::int64_t removed_bytes = 0;
  std::int64_t line_bytes = 0;  // 0: nothing was removed before
  bool operator==(const ToldGap&) const = default;
};
ToldGap read_gap_line(std::string_view text);

// Of a file that cannot have a gap, and is cut behind its beginning: how long it is then, with the
// line that stands at its end.
struct OutputCut {
  std::int64_t size = 0;
  std::string line;
  bool operator==(const OutputCut&) const = default;
};
OutputCut cut_of(const OutputFile& file, const OutputGap& gap, const ToldGap& told,
                 std::int64_t bytes_max);

// Whether a disk has room for more output than a word; of the smallest ones a thousandth will do.
bool disk_has_room(std::int64_t free_bytes, std::int64_t all_bytes);

// What the file that takes most of the disk took when it was looked at, and what was left to it.
struct OutputTaken {
  std::int64_t found = 0;
  std::int64_t left = 0;
};

// The pause until the next look; the last one before this was so long ago.
constexpr Milliseconds output_look_seldom{5'000};
constexpr Milliseconds output_look_often{500};
Milliseconds pause_until_look(const OutputTaken& last, const OutputTaken& now, Milliseconds ago,
                              std::int64_t bytes_max);

}  // namespace cox
