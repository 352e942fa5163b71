// Tests what a command reports if its output cannot be written.
#include "client/io/screen_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace cox {
namespace {

// Standard output is this file while the guard lives.
class OutputTo {
 public:
  explicit OutputTo(const char* file) {
    std::fflush(stdout);
    before_ = ::dup(STDOUT_FILENO);
    const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
    ::dup2(fd, STDOUT_FILENO);
    ::close(fd);
  }
  ~OutputTo() {
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
    std::clearerr(stdout);
  }
  OutputTo(const OutputTo&) = delete;
  OutputTo& operator=(const OutputTo&) = delete;

 private:
  int before_ = -1;
};

struct Printed {
  int exit_code = -1;
  std::string err;
};

Printed print_to(const char* file, const Shown& shown) {
  testing::internal::CaptureStderr();
  const OutputTo guard(file);
  const int code = print(shown);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(ScreenOutput, text_that_cannot_be_written_is_reported_on_stderr) {
  const Printed full = print_to("/dev/full", {"an answer\n", "a note\n", exit_ok});
  EXPECT_EQ(full.exit_code, exit_refused);
  EXPECT_EQ(full.err, "a note\n" + std::string(program_invocation_short_name) +
                          ": error: cannot write to standard output: No space left on device\n");
  const Printed refused = print_to("/dev/full", {"an answer\n", "", exit_unreachable});
  EXPECT_EQ(refused.exit_code, exit_unreachable);
}

TEST(ScreenOutput, a_command_without_output_does_not_fail_if_none_can_be_written) {
  const Printed silent = print_to("/dev/full", {"", "a note\n", exit_ok});
  EXPECT_EQ(silent.exit_code, exit_ok);
  EXPECT_EQ(silent.err, "a note\n");
  EXPECT_EQ(print_to("/dev/null", {"an answer\n", "", exit_ok}).exit_code, exit_ok);
}

}  // namespace
}  // namespace cox
