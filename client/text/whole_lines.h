// What several tasks of a step write, in whole lines, so that those of one never stand within those
// of another: the begin of a line is kept until its end comes. With srun --label each has the
// task's number before it. Binary safe; pure.
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
  // A longer line goes in pieces; of labelled ones each is a line of its own.
  static constexpr std::size_t line_bytes_max = 64 << 10;

  WholeLines(std::int64_t tasks, bool labelled);

  // The lines that the data completes.
  std::string take(std::int32_t rank, StreamName stream, std::string_view data);
  // What was left without an end of line.
  std::string end(std::int32_t rank, StreamName stream);
  std::string end_all(StreamName stream);

 private:
  void add_line(std::int32_t rank, std::string_view line, std::string& to) const;
  std::string take_labelled(std::int32_t rank, std::string& begun, std::string_view data) const;

  bool labelled_;
  std::size_t width_;  // of a label
  std::map<std::pair<StreamName, std::int32_t>, std::string> begun_;
};

}  // namespace cox
