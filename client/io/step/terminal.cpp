#include "client/io/step/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace cox {

TerminalSize terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

RawTerminal::RawTerminal(int fd) : fd_(fd) {
  if (::isatty(fd) == 0 || ::tcgetattr(fd, &before_) != 0) return;
  termios raw = before_;
  ::cfmakeraw(&raw);
  is_raw_ = ::tcsetattr(fd, TCSADRAIN, &raw) == 0;
}

RawTerminal::~RawTerminal() {
  if (is_raw_) ::tcsetattr(fd_, TCSADRAIN, &before_);
}

}  // namespace cox
