#include "client/io/screen_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/io/clock.h"
#include "common/io/local_zone.h"

namespace cox {

Screen screen_now(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool plain = no_colour != nullptr && no_colour[0] != '\0';
  // Times of jobs lie in this span; beyond it, the offset at its end counts.
  constexpr ZoneYears read_years{10, 10};
  const Wall now = read_clock().wall;
  winsize size{};
  const bool terminal = ::isatty(fd) == 1;
  if (terminal && ::ioctl(fd, TIOCGWINSZ, &size) != 0) size.ws_col = 0;
  return {!plain && terminal, now, read_local_zone(now, read_years), size.ws_col};
}

int print(const Shown& shown) {
  errno = 0;
  std::fwrite(shown.out.data(), 1, shown.out.size(), stdout);
  const bool written = shown.out.empty() || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
  const int error = errno;
  std::fwrite(shown.err.data(), 1, shown.err.size(), stderr);
  if (!written && error != EPIPE)
    std::fprintf(stderr, "%s: error: cannot write to standard output: %s\n",
                 program_invocation_short_name, std::strerror(error));
  return shown.exit_code == exit_ok && !written ? exit_refused : shown.exit_code;
}

}  // namespace cox
