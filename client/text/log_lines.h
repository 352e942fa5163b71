// LogLines: splits the output of a rank into whole lines with the rank in front, so that lines of
// different ranks do not mix. There is one LogLines for each rank; it keeps an unfinished line
// until its newline arrives. Pure; used by client/io/logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cox {

class LogLines {
 public:
  explicit LogLines(std::int32_t rank) : prefix_(std::to_string(rank) + ": ") {}

  // Adds output and returns the lines that it completes, ready to print. Cuts a line that is longer
  // than line_bytes_max into several.
  std::string take(std::string_view bytes);
  // Returns the unfinished line, with a newline added. Empty if there is none.
  std::string finish();

  static constexpr std::size_t line_bytes_max = 64u << 10;

 private:
  std::string line(std::string_view text) const;

  std::string prefix_;
  std::string unfinished_;
};

}  // namespace cox
