// The output of several ranks on one terminal: whole lines, each with its rank in front. What a
// rank has written of an unfinished line waits for the rest of it. Pure; used by client/io/logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cox {

class LogLines {
 public:
  explicit LogLines(std::int32_t rank) : prefix_(std::to_string(rank) + ": ") {}

  // The lines that `bytes` completes, ready to print. A line longer than line_bytes_max is cut up.
  std::string take(std::string_view bytes);
  // What is left of an unfinished line, ended; nothing if there is none.
  std::string finish();

  static constexpr std::size_t line_bytes_max = 64u << 10;

 private:
  std::string line(std::string_view text) const;

  std::string prefix_;
  std::string unfinished_;
};

}  // namespace cox
