#include "worker/supervisor/output_bound.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace cox {

namespace {

constexpr std::int64_t beginning_bytes = 1 << 20;
constexpr std::int64_t page_bytes = 4096;
constexpr std::string_view gap_words = "\n[coxswain: ";
constexpr std::int64_t free_bytes_required = 1 << 20;

constexpr std::int64_t whole_pages(std::int64_t bytes) {
  return bytes / page_bytes * page_bytes;
}

}  // namespace

std::optional<OutputGap> gap_in(const OutputFile& file, std::int64_t bytes_max) {
  if (bytes_max <= 0 || file.allocated <= bytes_max) return std::nullopt;
  OutputGap gap;
  gap.from = whole_pages(std::min(beginning_bytes, bytes_max / 4));
  gap.to = whole_pages(file.size - bytes_max / 2);
  // A file may take more disk space than its size, so that releasing the gap would release nothing.
  if (gap.to - gap.from <= page_bytes) return std::nullopt;
  return gap;
}

std::string gap_line(std::int64_t removed_bytes, std::int64_t bytes_max) {
  return std::string(gap_words) + std::to_string(removed_bytes) +
         " bytes of output were removed here. log_size_max_mb in [controller] is " +
         std::to_string(bytes_max >> 20) + ": the limit of an output file in MiB.]\n";
}

// Parses the line that an earlier check has left. The user may have changed it, so its number is
// only reported to the user again.
ReportedGap read_gap_line(std::string_view text) {
  if (!text.starts_with(gap_words)) return {};
  const std::size_t end = text.find('\n', gap_words.size());
  ReportedGap earlier;
  const char* number = text.data() + gap_words.size();
  const auto read = std::from_chars(number, text.data() + text.size(), earlier.removed_bytes);
  if (end == std::string_view::npos || read.ec != std::errc{} || earlier.removed_bytes < 0)
    return {};
  earlier.line_bytes = static_cast<std::int64_t>(end) + 1;
  return earlier;
}

OutputCut cut_for(const OutputFile& file, const OutputGap& gap, const ReportedGap& earlier,
                  std::int64_t bytes_max) {
  const std::int64_t now = std::max<std::int64_t>(0, file.size - gap.from - earlier.line_bytes);
  const std::int64_t room = std::numeric_limits<std::int64_t>::max() - now;
  OutputCut cut;
  cut.line = gap_line(std::min(earlier.removed_bytes, room) + now, bytes_max);
  cut.size = gap.from + static_cast<std::int64_t>(cut.line.size());
  return cut;
}

bool disk_has_room(std::int64_t free_bytes, std::int64_t all_bytes) {
  return free_bytes > std::min(free_bytes_required, all_bytes / 1000);
}

// Returns half of the time until the limit is reached if the file keeps growing at this rate.
Milliseconds pause_until_look(const OutputUsage& last, const OutputUsage& now, Milliseconds ago,
                              std::int64_t bytes_max) {
  const std::int64_t grown = now.found - last.left;
  if (bytes_max <= 0 || grown <= 0) return output_look_seldom;
  const double room = static_cast<double>(std::max<std::int64_t>(0, bytes_max - now.left));
  const double wait_ms = room / static_cast<double>(grown) * static_cast<double>(ago.count()) / 2;
  if (wait_ms >= static_cast<double>(output_look_seldom.count())) return output_look_seldom;
  return std::max(output_look_often, Milliseconds{static_cast<std::int64_t>(wait_ms)});
}

}  // namespace cox
