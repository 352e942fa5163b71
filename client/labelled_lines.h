// srun --label: each line of each task's stream, with the task's number before it. Lines are kept
// until they are whole, so that those of several tasks never mix. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/stream_messages.h"

namespace cox {

class LabelledLines {
 public:
  // A longer line is written in pieces, each a line of its own.
  static constexpr std::size_t line_bytes_max = 64 << 10;

  explicit LabelledLines(std::int64_t tasks);

  // The lines that the data completes.
  std::string take(std::int32_t rank, StreamName stream, std::string_view data);
  // What was left without an end of line.
  std::string end(std::int32_t rank, StreamName stream);
  std::string end_all(StreamName stream);

 private:
  void add_line(std::int32_t rank, std::string_view line, std::string& to) const;

  std::size_t width_;
  std::map<std::pair<StreamName, std::int32_t>, std::string> begun_;
};

}  // namespace cox
