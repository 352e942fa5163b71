#include "common/syntax/crontab.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(Crontab, lines_are_marked_as_disabled_or_bad_in_place) {
  const std::string text = "a\n\n#SCRON -n1\n* * * * * b\nc";
  EXPECT_EQ(with_marked_lines(text, 3, 4, disabled_mark),
            "a\n\n#DISABLED: #SCRON -n1\n#DISABLED: * * * * * b\nc");
  EXPECT_EQ(with_marked_lines(text, 5, 5, bad_mark), "a\n\n#SCRON -n1\n* * * * * b\n#BAD: c");
  EXPECT_EQ(with_marked_lines(text, 2, 2, bad_mark), "a\n#BAD: \n#SCRON -n1\n* * * * * b\nc");
  EXPECT_EQ(with_marked_lines(text, 0, 0, bad_mark), text);
  EXPECT_EQ(with_marked_lines(text, 6, 9, bad_mark), text);
  EXPECT_EQ(with_marked_lines("", 1, 1, bad_mark), "");
}

TEST(Crontab, lines_are_counted) {
  EXPECT_EQ(line_count(""), 0);
  EXPECT_EQ(line_count("a"), 1);
  EXPECT_EQ(line_count("a\n"), 1);
  EXPECT_EQ(line_count("a\n\nb"), 3);
}

}  // namespace
}  // namespace cox
