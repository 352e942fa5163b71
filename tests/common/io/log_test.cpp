// Tests that the log has one line for each fact, whatever text from outside the fact contains.
#include "common/io/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace cox {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  ::unlink(path.c_str());
  return text.str();
}

TEST(Log, a_changed_level_and_format_apply_to_the_next_line) {
  char path[] = "/tmp/cox-log-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  ::close(fd);
  open_log("worker", path, {LogLevel::Error, LogFormat::Text});
  log_info("job=1 not shown");
  change_log({LogLevel::Debug, LogFormat::Json});
  log_debug("job=17 why=\"a\nb\"");
  change_log({LogLevel::Info, LogFormat::Text});
  log_debug("not shown");
  log_info("job=18");
  const std::string text = text_of(path);
  const std::regex form(
      R"(\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"debug",)"
      R"("program":"worker","job":17,"why":"a\\u000ab"\}\n[^\n]* info worker job=18\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

TEST(Log, a_line_stays_one_line_without_control_characters) {
  char path[] = "/tmp/cox-log-XXXXXX";
  const int fd = ::mkstemp(path);
  ASSERT_GE(fd, 0);
  ::close(fd);
  log_info("before open_log nothing is written");
  open_log("controller", path, {LogLevel::Info, LogFormat::Text});
  log(LogLevel::Debug, "not shown");
  log_warning("job=17 {} %v name=\"\x1b[31m\n\xC2\x9B\" RUNNING→SIGNALING");
  const std::string text = text_of(path);
  const std::regex form(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warning controller job=17 \{\} %v )"
      R"(name="\\x1b\[31m\\n\\xc2\\x9b" RUNNING→SIGNALING\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

}  // namespace
}  // namespace cox
