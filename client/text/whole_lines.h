// WholeLines: splits the output of a step's tasks into whole lines, so that lines of different
// tasks do not mix. An unfinished line is kept until its newline arrives. With srun --label each
// line has the number of its task in front. Keeps all bytes, also NUL. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/messages/stream_messages.h"

namespace cox {

class WholeLines {
 public:
  // A longer line is passed on in pieces. With labels, each piece becomes a line of its own.
  static constexpr std::size_t line_bytes_max = 64 << 10;

  WholeLines(std::int64_t tasks, bool labelled);

  // Adds output of a task and returns the lines that it completes.
  std::string take(std::int32_t rank, StreamName stream, std::string_view data);
  // These two return and forget unfinished lines: of one task, or of all tasks.
  std::string end(std::int32_t rank, StreamName stream);
  std::string end_all(StreamName stream);

 private:
  void add_line(std::int32_t rank, std::string_view line, std::string& to) const;
  std::string take_labelled(std::int32_t rank, std::string& begun, std::string_view data) const;

  bool labelled_;
  std::size_t width_;  // digits of a label, the number of a task
  std::map<std::pair<StreamName, std::int32_t>, std::string> begun_;
};

}  // namespace cox
