#include "client/slurm/text/record.h"

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {

Record& Record::add(std::string_view key, const std::string& value) {
  std::string& line = lines_.back().text;
  line += (line.empty() ? "" : " ") + std::string(key) + "=" + printable(value);
  return *this;
}

Record& Record::next_line() {
  lines_.emplace_back();
  return *this;
}

Record& Record::next_line_further_in() {
  lines_.push_back({"", true});
  return *this;
}

std::string Record::text(bool one_line) const {
  std::string text;
  for (const Line& line : lines_) {
    if (&line != &lines_.front()) text += one_line ? " " : line.further_in ? "\n     " : "\n   ";
    text += line.text;
  }
  return text + (one_line ? "\n" : "\n\n");
}

std::string or_null(const std::string& value) {
  return value.empty() ? "(null)" : value;
}
std::string joined_or_null(const std::vector<std::string>& words) {
  return or_null(joined(words, ","));
}
std::string nodes_or_null(const std::vector<std::string>& names) {
  return names.empty() ? "(null)" : node_list_text(names);
}
std::string record_clock(std::int64_t seconds) {
  return seconds <= 0 ? "00:00:00" : format_time_limit(seconds);
}
std::string record_limit(std::int64_t seconds) {
  return format_time_limit(seconds);
}
std::string record_moment(Wall t, const Screen& screen, const char* otherwise) {
  return t == Wall{} ? otherwise : slurm_moment_text(t, screen);
}
std::string record_memory(std::int64_t megabytes) {
  constexpr std::int64_t mb_per_gb = 1024;
  const bool whole = megabytes >= mb_per_gb && megabytes % mb_per_gb == 0;
  return whole ? std::to_string(megabytes / mb_per_gb) + "G" : std::to_string(megabytes) + "M";
}
std::string count_or_unlimited(std::int64_t count) {
  return count == 0 ? "UNLIMITED" : std::to_string(count);
}
std::string yes_or_no(bool is) {
  return is ? "YES" : "NO";
}

}  // namespace cox
