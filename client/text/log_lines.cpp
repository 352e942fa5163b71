#include "client/text/log_lines.h"

namespace cox {

// Returns the line with its prefix, the rank, and a newline. Keeps escape codes of the program,
// such as colours, as `cat` does.
std::string LogLines::line(std::string_view text) const {
  return prefix_ + std::string(text) + "\n";
}

std::string LogLines::take(std::string_view bytes) {
  unfinished_ += bytes;
  std::string out;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = unfinished_.find('\n', begin);
    const std::size_t length = (end == std::string::npos ? unfinished_.size() : end) - begin;
    if (end == std::string::npos && length < line_bytes_max) break;
    const std::string_view rest = std::string_view(unfinished_).substr(begin);
    if (length >= line_bytes_max) {
      out += line(rest.substr(0, line_bytes_max));
      begin += line_bytes_max;
      if (begin < unfinished_.size() && unfinished_[begin] == '\n') ++begin;
    } else {
      out += line(rest.substr(0, length));
      begin = end + 1;
    }
  }
  unfinished_.erase(0, begin);
  return out;
}

std::string LogLines::finish() {
  if (unfinished_.empty()) return "";
  std::string out = line(unfinished_);
  unfinished_.clear();
  return out;
}

}  // namespace cox
