// Ends a test program whose current test takes too long, and names that test. Every test program is
// linked with this file. COX_TEST_LIMIT_S is the limit in seconds; without it, as in a debugger,
// there is none. ./dev test sets it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_print_stack_trace();
#endif

namespace {

// Set before the alarm, so that the signal handler needs no memory.
std::string complaint;

// Writes which test took too long and where the thread that got the signal is, then ends the
// program. The process ends, since a test that hangs cannot be left in any other way.
void end_the_program(int) {
  // A failed write cannot be reported anywhere.
  [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, complaint.data(), complaint.size());
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_print_stack_trace();
#endif
  ::_exit(EXIT_FAILURE);
}

class TimeLimit : public ::testing::EmptyTestEventListener {
 public:
  explicit TimeLimit(unsigned seconds) : seconds_(seconds) {
    std::signal(SIGALRM, end_the_program);
  }

  void OnTestStart(const ::testing::TestInfo& test) override {
    complaint = std::string(test.test_suite_name()) + "." + test.name() + " took longer than " +
                std::to_string(seconds_) + " s\n";
    ::alarm(seconds_);
  }
  void OnTestEnd(const ::testing::TestInfo&) override { ::alarm(0); }

 private:
  unsigned seconds_;
};

const bool has_limit = [] {
  const char* text = std::getenv("COX_TEST_LIMIT_S");
  const int seconds = text == nullptr ? 0 : std::atoi(text);
  if (seconds > 0)
    ::testing::UnitTest::GetInstance()->listeners().Append(
        new TimeLimit(static_cast<unsigned>(seconds)));
  return seconds > 0;
}();

}  // namespace
