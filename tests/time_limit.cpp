// Ends a test program if a test, or what is done before and after tests, takes too long, and names
// it. Every test program is linked with this file. COX_TEST_LIMIT_S is the limit in seconds;
// without it, as in a debugger, there is none. While a test runs, the file COX_TEST_RUNNING has its
// name, so that ./dev test (dev.d/suites.py), which sets both variables, also knows which test
// crashed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_print_stack_trace();
#endif

namespace {

// Set before the alarm, so that the signal handler needs no memory. It lives until the program
// ends, since the destructor of a static object may hang, too.
std::array<char, 1000> complaint;

// Writes what took too long and where the thread that got the signal is, then ends the program. The
// process ends, since a test that hangs cannot be left in any other way.
void end_the_program(int) {
  // A failed write cannot be reported anywhere.
  [[maybe_unused]] const ssize_t wrote =
      ::write(STDERR_FILENO, complaint.data(), std::strlen(complaint.data()));
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_print_stack_trace();
#endif
  ::_exit(EXIT_FAILURE);
}

class TimeLimit : public ::testing::EmptyTestEventListener {
 public:
  explicit TimeLimit(unsigned seconds) : seconds_(seconds) {
    std::signal(SIGALRM, end_the_program);
    begin("", "what is done before all tests");
  }

  void OnTestSuiteStart(const ::testing::TestSuite& suite) override { begin_group(suite.name()); }
  void OnTestStart(const ::testing::TestInfo& test) override {
    begin(std::string(test.test_suite_name()) + "." + test.name(), "a test");
  }
  void OnTestEnd(const ::testing::TestInfo& test) override { begin_group(test.test_suite_name()); }
  void OnTestSuiteEnd(const ::testing::TestSuite&) override {
    begin("", "what is done after all tests");
  }

 private:
  void begin_group(const std::string& name) {
    begin(name + ".*", "the set-up or end of a group of tests");
  }
  // `filter`: the tests that this belongs to, as --gtest_filter takes them.
  void begin(const std::string& filter, const std::string& what) {
    std::snprintf(complaint.data(), complaint.size(), "%s: %s took longer than %u s\n",
                  filter.c_str(), what.c_str(), seconds_);
    if (const char* file = std::getenv("COX_TEST_RUNNING")) std::ofstream(file) << filter;
    ::alarm(seconds_);
  }

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
