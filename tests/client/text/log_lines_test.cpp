#include "client/text/log_lines.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(LogLines, a_line_is_written_once_it_is_complete) {
  LogLines lines(3);
  EXPECT_EQ(lines.take("he"), "");
  EXPECT_EQ(lines.take("llo\nwor"), "3: hello\n");
  EXPECT_EQ(lines.take("ld\n\n"), "3: world\n3: \n");
  EXPECT_EQ(lines.finish(), "");
}

TEST(LogLines, an_incomplete_line_is_written_at_the_end) {
  LogLines lines(0);
  EXPECT_EQ(lines.take("no newline"), "");
  EXPECT_EQ(lines.finish(), "0: no newline\n");
  EXPECT_EQ(lines.finish(), "");
}

TEST(LogLines, an_endless_line_is_written_in_pieces) {
  LogLines lines(1);
  const std::string out = lines.take(std::string(2 * LogLines::line_bytes_max + 5, 'x'));
  const std::string piece = "1: " + std::string(LogLines::line_bytes_max, 'x') + "\n";
  EXPECT_EQ(out, piece + piece);
  EXPECT_EQ(lines.finish(), "1: xxxxx\n");
}

}  // namespace
}  // namespace cox
