#include "client/text/whole_lines.h"

#include <algorithm>

namespace cox {

namespace {

std::string take_plain(std::string& begun, std::string_view data) {
  const std::size_t newline = data.rfind('\n');
  std::size_t whole = newline == std::string_view::npos ? 0 : newline + 1;
  if (begun.size() + data.size() - whole > WholeLines::line_bytes_max) whole = data.size();
  std::string text;
  if (whole > 0) {
    text = std::exchange(begun, {});
    text += data.substr(0, whole);
  }
  begun += data.substr(whole);
  return text;
}

}  // namespace

WholeLines::WholeLines(std::int64_t tasks, bool labelled)
    : labelled_(labelled), width_(std::to_string(std::max<std::int64_t>(tasks - 1, 0)).size()) {}

// Appends the line to `to`. With srun --label, the number of the task precedes it, aligned to the
// right as in Slurm.
void WholeLines::add_line(std::int32_t rank, std::string_view line, std::string& to) const {
  if (!labelled_) {
    to += line;
    return;
  }
  const std::string number = std::to_string(rank);
  to.append(width_ - std::min(number.size(), width_), ' ');
  to += number;
  to += ": ";
  to += line;
  if (!line.ends_with('\n')) to += '\n';
}

std::string WholeLines::take_labelled(std::int32_t rank, std::string& begun,
                                      std::string_view data) const {
  std::string text;
  while (!data.empty()) {
    const std::size_t room = line_bytes_max - begun.size();
    const std::size_t newline = data.find('\n');
    const bool is_whole = newline != std::string_view::npos && newline < room;
    const std::size_t count = is_whole ? newline + 1 : std::min(data.size(), room);
    begun += data.substr(0, count);
    data.remove_prefix(count);
    if (!is_whole && begun.size() < line_bytes_max) break;
    add_line(rank, begun, text);
    begun.clear();
  }
  return text;
}

std::string WholeLines::take(std::int32_t rank, StreamName stream, std::string_view data) {
  std::string& begun = begun_[{stream, rank}];
  return labelled_ ? take_labelled(rank, begun, data) : take_plain(begun, data);
}

std::string WholeLines::end(std::int32_t rank, StreamName stream) {
  std::string text;
  const auto begun = begun_.find({stream, rank});
  if (begun == begun_.end()) return text;
  if (!begun->second.empty()) add_line(rank, begun->second, text);
  begun_.erase(begun);
  return text;
}

std::string WholeLines::end_all(StreamName stream) {
  std::string text;
  for (const auto& [key, begun] : begun_)
    if (key.first == stream && !begun.empty()) add_line(key.second, begun, text);
  std::erase_if(begun_, [&](const auto& each) { return each.first.first == stream; });
  return text;
}

}  // namespace cox
