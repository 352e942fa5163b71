#include "client/options/getopt.h"

#include <gtest/gtest.h>

#include <array>

namespace cox {
namespace {

using Wrong = ParsedWords::Wrong;
using Words = std::vector<std::string>;

constexpr auto table = std::to_array<OptionForm>({
    {"nodes", 'N', Takes::Value, "", "", "", 0, 0},
    {"hold", 'H', Takes::Nothing, "", "", "", 0, 1},
    {"wait", 'W', Takes::ValueAttached, "", "", "", 0, 2},
    {"user", 'u', Takes::Value, "", "", "", 0, 3},
    {"users", 0, Takes::Value, "", "", "", 0, 3},
    {"", 'x', Takes::Nothing, "", "", "", 0, 4},
});

// Returns each option's letter and value, such as "N=2 H", or the error.
std::string read(const Words& words, Operands operands = Operands::Behind) {
  const ParsedWords all = read_words(table, words, operands);
  if (all.wrong != Wrong::Nothing) return all.fact;
  std::string text;
  for (const ParsedWords::Given& each : all.options) {
    text += (text.empty() ? "" : " ") + std::string(table[each.row].name);
    if (each.has_value) text += "=" + each.value;
  }
  for (const std::string& operand : all.operands) text += " " + operand;
  for (std::size_t i = all.words_read; operands == Operands::Behind && i < words.size(); ++i)
    text += " " + words[i];
  return text;
}

TEST(Getopt, AcceptsLettersAndAbbreviatedNames) {
  EXPECT_EQ(read({"-N2"}), "nodes=2");
  EXPECT_EQ(read({"-HN", "2"}), "hold nodes=2");
  EXPECT_EQ(read({"--no", "2", "--ho"}), "nodes=2 hold");
  EXPECT_EQ(read({"--nodes=", "-H"}), "nodes= hold") << "an empty value is a value";
  EXPECT_EQ(read({"-W", "5"}), "wait 5") << "an optional value must be in the same word";
  EXPECT_EQ(read({"-W5", "--wait=6"}), "wait=5 wait=6");
  EXPECT_EQ(read({"--use=a"}), "user=a") << "both names are of the same option";
}

TEST(Getopt, EndsAtTheFirstOperandOrContinuesAfterIt) {
  EXPECT_EQ(read({"-H", "job.sh", "-N2"}), "hold job.sh -N2");
  EXPECT_EQ(read({"-H", "17", "-N2"}, Operands::Among), "hold nodes=2 17");
  EXPECT_EQ(read({"-H", "--", "-N2"}), "hold -N2");
  EXPECT_EQ(read({"17", "--", "-N2"}, Operands::Among), " 17 -N2");
  EXPECT_TRUE(read_words(table, {"--", "x"}, Operands::Behind).double_dash);
  EXPECT_EQ(read({"-", "-H"}), " - -H") << "a dash alone is an operand";
}

TEST(Getopt, RefusesInTheWordsOfGetopt) {
  EXPECT_EQ(read({"--bogus=1"}), "unrecognized option '--bogus'");
  EXPECT_EQ(read({"-q"}), "invalid option -- 'q'");
  EXPECT_EQ(read({"--hold=1"}), "option '--hold' doesn't allow an argument");
  EXPECT_EQ(read({"--nodes"}), "option '--nodes' requires an argument");
  EXPECT_EQ(read({"-HN"}), "option requires an argument -- 'N'");
  EXPECT_EQ(read({"--=1"}),
            "option '--=1' is ambiguous; possibilities: '--nodes' '--hold' '--wait' '--user' "
            "'--users'");
  EXPECT_EQ(read({"--\x1b[31m"}), "unrecognized option '--?[31m'");
}

TEST(Getopt, ReturnsTheOptionsBeforeAMistake) {
  const ParsedWords all = read_words(table, {"-H", "--bogus", "-N2"}, Operands::Among);
  ASSERT_EQ(all.options.size(), 1u);
  EXPECT_EQ(all.options[0].written, "-H");
  EXPECT_EQ(all.name, "bogus");
}

}  // namespace
}  // namespace cox
