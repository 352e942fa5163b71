#include "common/base/text.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(Text, IsUtf8IfEveryCharacterIs) {
  for (const char* good : {"", "abc", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x9a\xa3"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\xff", "a\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x9a", "\xc0\xaf", "\xe0\x80\xaf",
        "\xf0\x80\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3("})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Text, ShowsNoControlCharacter) {
  EXPECT_TRUE(has_control_characters("a\tb"));
  EXPECT_TRUE(has_control_characters("a\x7f"));
  EXPECT_TRUE(
      has_control_characters("a\xc2\x9b"
                             "31m"));  // U+009B, the one-character form of ESC [
  EXPECT_TRUE(has_control_characters(std::string_view("a\0b", 3)));
  EXPECT_FALSE(has_control_characters("gr\xc3\xbc\xc3\x9f \xe2\x82\xac"));
  EXPECT_EQ(printable("\x1b[31mred\n"), "?[31mred?");
  EXPECT_EQ(printable("a\xff\xc3\xbc"), "a?\xc3\xbc");
  EXPECT_EQ(printable("a\xc2\x9b"), "a?");
  EXPECT_EQ(printable("left\xe2\x80\xaeright"), "left?right")
      << "U+202E reverses the text after it";
}

TEST(Text, IsTruncatedBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abcd", 3), "abc");
  EXPECT_EQ(cut_text("ab\xc3\xbc", 3), "ab");
}

TEST(Text, ALongListOfNamesIsCut) {
  EXPECT_EQ(names_in_short({}), "");
  EXPECT_EQ(names_in_short({"a", "b"}), "a, b");
  EXPECT_EQ(names_in_short(std::vector<std::string>(16, "a")).find("more"), std::string::npos);
  const std::string cut = names_in_short(std::vector<std::string>(18, "a"));
  EXPECT_TRUE(cut.ends_with("a, a and 2 more")) << cut;
  const std::string long_name(150, 'x');
  EXPECT_EQ(names_in_short({long_name, long_name, "b"}), long_name + " and 2 more");
}

TEST(Text, QuotedTextIsShortAndTruncatedBetweenCharacters) {
  EXPECT_EQ(quoted(std::string_view("a b")), "\"a b\"");
  EXPECT_EQ(quoted(std::string_view("a\" b")), "\"a' b\"");
  EXPECT_EQ(quoted(std::string(61, 'a')), "\"" + std::string(60, 'a') + "...\"");
  const std::string cut = quoted(std::string(59, 'a') + "\xe2\x82\xac\xe2\x82\xac");
  EXPECT_EQ(cut, "\"" + std::string(59, 'a') + "...\"");
  EXPECT_TRUE(is_utf8(quoted(std::string(1000, '\x80'))));
}

TEST(Text, JoinedPartsMayBeEmpty) {
  EXPECT_EQ(joined({}, ","), "");
  EXPECT_EQ(joined({"", "a", "", ""}, ","), ",a,,");
}

TEST(Text, BaseNameIsTheLastPartOfAPath) {
  EXPECT_EQ(base_name("/home/ada/train.sh"), "train.sh");
  EXPECT_EQ(base_name("train.sh"), "train.sh");
  EXPECT_EQ(base_name("/home/ada/"), "ada");
  EXPECT_EQ(base_name("/"), "");
}

TEST(Text, LowerCaseChangesOnlyAscii) {
  EXPECT_EQ(lower_case("GrpTRES=A-Z[@"), "grptres=a-z[@");
  EXPECT_EQ(lower_case("\xc3\x9c"), "\xc3\x9c");
}

}  // namespace
}  // namespace cox
