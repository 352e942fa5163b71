// Tests how several lines, such as the output of a program, are shown as one.
#include "common/base/one_line.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(OneLine, JoinsLinesAndLeavesBlankEndsOut) {
  EXPECT_EQ(one_line("no scratch disk\n"), "no scratch disk");
  EXPECT_EQ(one_line("  a \r\n\n\tb\t\n \n"), "  a; ?b");
  EXPECT_EQ(one_line("a\x1b"), "a?");
  EXPECT_EQ(one_line("a"), "a");
  for (const char* blank : {"", "\n", " \r\n\n"}) EXPECT_EQ(one_line(blank), "");
}

}  // namespace
}  // namespace cox
