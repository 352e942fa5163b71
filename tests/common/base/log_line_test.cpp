// Tests that a log line can be written as members of one valid JSON object, whatever the line
// contains.
#include "common/base/log_line.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(LogLine, in_json_name_value_pairs_become_members_and_other_words_the_fact) {
  EXPECT_EQ(json_members(R"(job=17 attempt=2 its supervisor is lost why="a b")"),
            R"("job":17,"attempt":2,"why":"a b","fact":"its supervisor is lost")");
  EXPECT_EQ(json_members("asked to end"), R"("fact":"asked to end")");
  EXPECT_EQ(json_members("a=1"), R"("a":1)");
  EXPECT_EQ(about({JobId{17}, AttemptNumber{2}}), "job=17 attempt=2 ");
}

TEST(LogLine, only_bare_digits_are_a_number) {
  EXPECT_EQ(json_members(R"(sqlstate="23505" key=007 n=0 long=1234567890123456 x= y=-1)"),
            R"("sqlstate":"23505","key":"007","n":0,"long":"1234567890123456","x":"","y":"-1")");
}

TEST(LogLine, a_number_has_at_most_fifteen_digits) {
  EXPECT_EQ(json_members("n=123456789012345 m=999999999999999 k=1000000000000000"),
            R"("n":123456789012345,"m":999999999999999,"k":"1000000000000000")");
  EXPECT_EQ(json_members("n=1a m=10 k=00"), R"("n":"1a","m":10,"k":"00")");
}

TEST(LogLine, a_quoted_value_comes_back_whole) {
  const std::string nasty = "he said \"job=1\" \\ and\nleft\x01\x7F";
  EXPECT_EQ(json_members("why=" + quoted_value(nasty) + " job=2"),
            R"("why":"he said \"job=1\" \\ and\u000aleft\u0001\u007f","job":2)");
  EXPECT_EQ(json_members("why=\"\xC3\xA4\xFF→\""), "\"why\":\"\xC3\xA4\\ufffd→\"");
}

TEST(LogLine, no_json_member_comes_twice) {
  EXPECT_EQ(json_members("level=high job=1 job=2 time=3 so fact=4"),
            R"("job":1,"fact":"level=high job=2 time=3 so fact=4")");
}

TEST(LogLine, an_unclosed_quote_ends_with_the_line) {
  EXPECT_EQ(json_members(R"(why="a b)"), R"("why":"a b")");
  EXPECT_EQ(json_members("why=\"a\\"), R"("why":"a\\")");
  EXPECT_EQ(json_members("=x Key=1"), R"("fact":"=x Key=1")");
}

}  // namespace
}  // namespace cox
