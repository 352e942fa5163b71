// The terminal that srun --pty gives to a task. It is in raw mode during the lifetime of a
// RawTerminal, then as it was before.
#pragma once

#include <termios.h>

#include <cstdint>

namespace cox {

struct TerminalSize {
  std::int32_t rows = 0;  // 0: unknown
  std::int32_t columns = 0;
};
TerminalSize terminal_size(int fd);

class RawTerminal {
 public:
  explicit RawTerminal(int fd);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;

 private:
  int fd_;
  bool is_raw_ = false;
  termios before_{};
};

}  // namespace cox
