#include "worker/supervisor/output_bound.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace cox {

namespace {

constexpr std::int64_t beginning_bytes = 1 << 20;
constexpr std::int64_t page_bytes = 4096;
constexpr std::string_view gap_words = "\n[coxswain: ";
constexpr std::int64_t free_bytes_wanted = 1 << 20;

constexpr std::int64_t whole_pages(std::int64_t bytes) {
  return bytes / page_bytes * page_bytes;
}

}  // namespace

std::optional<OutputGap> gap_in(const OutputFile& file, std::int64_t bytes_max) {
  if (bytes_max <= 0 || file.allocated <= bytes_max) return std::nullopt;
  OutputGap gap;
  gap.from = whole_pages(std::min(beginning_bytes, bytes_max / 4));
  gap.to = whole_pages(file.size - bytes_max / 2);
  // Where it takes much more than it holds nothing would be won.
  if (gap.to - gap.from <= page_bytes) return std::nullopt;
  return gap;
}

std::string gap_line(std::int64_t removed_bytes, std::int64_t bytes_max) {
  return std::string(gap_words) + std::to_string(removed_bytes) +
         " bytes of output were removed here. log_size_max_mb in [controller] is " +
         std::to_string(bytes_max >> 20) + ": no file of output may take more MiB.]\n";
}

// It is the user's file: whatever number stands there, nothing depends on it.
ToldGap read_gap_line(std::string_view text) {
  if (!text.starts_with(gap_words)) return {};
  const std::size_t end = text.find('\n', gap_words.size());
  ToldGap told;
  const char* number = text.data() + gap_words.size();
  const auto read = std::from_chars(number, text.data() + text.size(), told.removed_bytes);
  if (end == std::string_view::npos || read.ec != std::errc{} || told.removed_bytes < 0) return {};
  told.line_bytes = static_cast<std::int64_t>(end) + 1;
  return told;
}

OutputCut cut_of(const OutputFile& file, const OutputGap& gap, const ToldGap& told,
                 std::int64_t bytes_max) {
  const std::int64_t now = std::max<std::int64_t>(0, file.size - gap.from - told.line_bytes);
  const std::int64_t room = std::numeric_limits<std::int64_t>::max() - now;
  OutputCut cut;
  cut.line = gap_line(std::min(told.removed_bytes, room) + now, bytes_max);
  cut.size = gap.from + static_cast<std::int64_t>(cut.line.size());
  return cut;
}

bool disk_has_room(std::int64_t free_bytes, std::int64_t all_bytes) {
  return free_bytes > std::min(free_bytes_wanted, all_bytes / 1000);
}

// Half of the time that it takes to reach the bound as quickly as it grew.
Milliseconds pause_until_look(const OutputTaken& last, const OutputTaken& now, Milliseconds ago,
                              std::int64_t bytes_max) {
  const std::int64_t grown = now.found - last.left;
  if (bytes_max <= 0 || grown <= 0) return output_look_seldom;
  const double room = static_cast<double>(std::max<std::int64_t>(0, bytes_max - now.left));
  const double wait_ms = room / static_cast<double>(grown) * static_cast<double>(ago.count()) / 2;
  if (wait_ms >= static_cast<double>(output_look_seldom.count())) return output_look_seldom;
  return std::max(output_look_often, Milliseconds{static_cast<std::int64_t>(wait_ms)});
}

}  // namespace cox
