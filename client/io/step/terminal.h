// The terminal that srun --pty lends to a task: raw while this lives, as it was afterwards.
#pragma once

#include <termios.h>

#include <cstdint>

namespace cox {

struct TerminalSize {
  std::int32_t rows = 0;  // 0: not known
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
