// The log's form: one line a fact, whatever a stranger put into it.
#include "common/io/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace cox {
namespace {

TEST(Log, a_line_is_one_line_and_obeys_nobody) {
  char path[] = "/tmp/cox-log-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  ::close(fd);
  log_info("before open_log nothing is written");
  open_log("controller", path, LogLevel::Info);
  log(LogLevel::Debug, "not shown");
  log_warning("job=17 {} %v name=\"\x1b[31m\n\xC2\x9B\" RUNNING→SIGNALING");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  ::unlink(path);
  const std::regex form(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning controller job=17 \{\} %v )"
      R"(name="\\x1b\[31m\\n\\xc2\\x9b" RUNNING→SIGNALING\n)");
  EXPECT_TRUE(std::regex_match(text.str(), form)) << text.str();
}

}  // namespace
}  // namespace cox
