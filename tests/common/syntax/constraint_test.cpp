#include "common/syntax/constraint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

using Features = std::vector<std::string>;

Constraint parse(std::string_view text) {
  const Result<Constraint> constraint = parse_constraint(text);
  EXPECT_TRUE(constraint.ok()) << text << ": "
                               << (constraint.ok() ? "" : constraint.refusal().fact);
  return constraint.ok() ? *constraint : Constraint{};
}

FeatureTerm term(std::vector<Features> all_of) {
  return FeatureTerm{std::move(all_of)};
}

// Returns one feature for each letter: "ab" gives the features a and b.
Features features_of(std::string_view letters) {
  Features features;
  for (const char c : letters) features.emplace_back(1, c);
  return features;
}

TEST(Constraint, IsParsedIntoAlternativesOfRequiredFeatures) {
  const std::vector<std::pair<std::string, std::vector<GangFeatures>>> table = {
      {"", {}},
      {"a", {{term({{"a"}}), {}}}},
      {"nvidia-h100.80gb:sxm=1", {{term({{"nvidia-h100.80gb:sxm=1"}}), {}}}},
      {"a&b", {{term({{"a"}, {"b"}}), {}}}},
      {"b,a", {{term({{"a"}, {"b"}}), {}}}},
      {"a&a", {{term({{"a"}}), {}}}},
      {"b|a", {{term({{"a", "b"}}), {}}}},
      {"a|a", {{term({{"a"}}), {}}}},
      {"a&b|c", {{term({{"a", "c"}, {"b", "c"}}), {}}}},
      {"a|b&c", {{term({{"a", "b"}, {"c"}}), {}}}},
      {"c&(a|b)", {{term({{"a", "b"}, {"c"}}), {}}}},
      {"((a))", {{term({{"a"}}), {}}}},
      {"[a|b]", {{term({{"a"}}), {}}, {term({{"b"}}), {}}}},
      {"[b|a|b]", {{term({{"b"}}), {}}, {term({{"a"}}), {}}}},
      {"[a]", {{term({{"a"}}), {}}}},
      {"[a|(b|c)]", {{term({{"a"}}), {}}, {term({{"b", "c"}}), {}}}},
      {"[a&(b|c)]", {{term({{"a"}, {"b", "c"}}), {}}}},
      {"[(a&b)|c]", {{term({{"a"}, {"b"}}), {}}, {term({{"c"}}), {}}}},
      {"[a|b]&c", {{term({{"a"}, {"c"}}), {}}, {term({{"b"}, {"c"}}), {}}}},
      {"[a|b]&[b|a]", {{term({{"a"}, {"b"}}), {}}, {term({{"a"}}), {}}, {term({{"b"}}), {}}}},
      {"a*2", {{{}, {{term({{"a"}}), 2}}}}},
      {"a*2&b*4", {{{}, {{term({{"a"}}), 2}, {term({{"b"}}), 4}}}}},
      {"[a*2&b*4]", {{{}, {{term({{"a"}}), 2}, {term({{"b"}}), 4}}}}},
      {"c&a*2", {{term({{"c"}}), {{term({{"a"}}), 2}}}}},
      {"[(a|b)*1&(c)*2]", {{{}, {{term({{"a", "b"}}), 1}, {term({{"c"}}), 2}}}}},
      {"[a*2|b*3]", {{{}, {{term({{"a"}}), 2}}}, {{}, {{term({{"b"}}), 3}}}}},
      {"[c|(a*2&b)]", {{term({{"c"}}), {}}, {term({{"b"}}), {{term({{"a"}}), 2}}}}},
      {"a*16384", {{{}, {{term({{"a"}}), 16384}}}}},
      {"!a", {{term({{"!a"}}), {}}}},
      {"b&!a", {{term({{"!a"}, {"b"}}), {}}}},
      {"b|!a", {{term({{"!a", "b"}}), {}}}},
      {"(!a|b)&c", {{term({{"!a", "b"}, {"c"}}), {}}}},
      {"[b|!a]", {{term({{"b"}}), {}}, {term({{"!a"}}), {}}}},
      {"!a*2&b", {{term({{"b"}}), {{term({{"!a"}}), 2}}}}},
  };
  for (const auto& [text, alternatives] : table)
    EXPECT_EQ(parse(text).alternatives, alternatives) << text;
}

TEST(Constraint, IsFormattedInSlurmsForm) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", ""},
      {"a", "a"},
      {"b,a", "a&b"},
      {"b|a", "a|b"},
      {"c&(b|a)", "(a|b)&c"},
      {"a&b|c", "(a|c)&(b|c)"},
      {"[b|a]", "[b|a]"},
      {"[a|(b|c)]&d", "[(a&d)|((b|c)&d)]"},
      {"a*2", "a*2"},
      {"(a|b)*2", "(a|b)*2"},
      {"a*2&b*4", "[a*2&b*4]"},
      {"(b&a)*2&c", "[c&(a&b)*2]"},
      {"[c|(a*2&b)]", "[c|(b&a*2)]"},
      {"b,!a", "!a&b"},
      {"[(!a&b)*1&!b*2]", "[(!a&b)*1&!b*2]"},
  };
  for (const auto& [text, written] : table) {
    EXPECT_EQ(format_constraint(parse(text)), written) << text;
    EXPECT_EQ(parse(written), parse(text)) << text;
  }
}

TEST(Constraint, ChecksTheFeaturesOfANode) {
  struct Row {
    const char* text;
    std::vector<std::string> enough;
    std::vector<std::string> not_enough;
  };
  const std::vector<Row> table = {
      {"a", {"a", "ab"}, {"", "b"}},
      {"a&c", {"ac", "abc"}, {"", "a", "c", "ab"}},
      {"a|c", {"a", "c", "bc"}, {"", "b"}},
      {"a&b|c", {"ab", "c", "ac"}, {"a", "b", ""}},
      {"a|b&c", {"ac", "bc"}, {"a", "b", "c", "ab"}},
      {"(a|b)&(c|d)", {"ac", "bd", "abcd"}, {"ab", "cd", ""}},
      {"!a", {"", "b", "bc"}, {"a", "ab"}},
      {"!a&b", {"b", "bc"}, {"", "a", "ab"}},
      {"!a|b", {"", "c", "ab", "b"}, {"a", "ac"}},
      {"a&!a", {}, {"", "a", "b"}},
  };
  for (const Row& row : table) {
    const Constraint constraint = parse(row.text);
    ASSERT_EQ(constraint.alternatives.size(), 1u) << row.text;
    const FeatureTerm& every = constraint.alternatives[0].every;
    for (const std::string& node : row.enough)
      EXPECT_TRUE(every.node_satisfies(features_of(node))) << row.text << " on " << node;
    for (const std::string& node : row.not_enough)
      EXPECT_FALSE(every.node_satisfies(features_of(node))) << row.text << " on " << node;
  }
  EXPECT_TRUE(FeatureTerm{}.node_satisfies({}));
}

TEST(Constraint, AddsUpTheNodeCountsOfItsFeatures) {
  EXPECT_EQ(parse("a").alternatives[0].counted_nodes(), 0);
  EXPECT_EQ(parse("[a*2&b*4&c]").alternatives[0].counted_nodes(), 6);
}

TEST(Constraint, AMalformedConstraintIsRefusedWithThePosition) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"&a", "needs the name of a feature (at character 1)"},
      {"a&", "needs the name of a feature (at character 3)"},
      {"a&&b", "needs the name of a feature (at character 3)"},
      {"()", "needs the name of a feature (at character 2)"},
      {"a(b)", "needs & or | here (at character 2)"},
      {"a)", "needs & or | here (at character 2)"},
      {"a&(b]", "needs & or | here (at character 5)"},
      {"a&(b|c", "never closed (at character 3)"},
      {"[a", "never closed (at character 1)"},
      {"a b", "has a blank (at character 2)"},
      {"!", "has a ! without the name of a feature after it (at character 1)"},
      {"!!a", "has a ! without the name of a feature after it (at character 1)"},
      {"a&!(b|c)", "has a ! without the name of a feature after it (at character 3)"},
      {"!*2", "has a ! without the name of a feature after it (at character 1)"},
      {"a!b", "needs & or | here (at character 2)"},
      {"a*", "wrong count: \"\" is not a whole number from 1 to 16384 (at character 3)"},
      {"a*0", "wrong count"},
      {"a*-1", "wrong count"},
      {"a*16385", "wrong count"},
      {"a*x", "wrong count"},
      {"*2", "needs the name of a feature (at character 1)"},
      {"a*2*2", "needs & or | here (at character 4)"},
      {"(a*2)*2",
       "has a count for something that is already counted or is a choice (at character 6)"},
      {"[a|b]*2",
       "has a count for something that is already counted or is a choice (at character 6)"},
      {"a*2|b", "choice between counts outside of [ ] (at character 4)"},
      {"[a|b]|c", "choice between counts outside of [ ] (at character 6)"},
      {"a\n", "control character"},
      {"\xff", "not valid UTF-8"},
  };
  for (const auto& [text, fact] : table) {
    const Result<Constraint> constraint = parse_constraint(text);
    ASSERT_FALSE(constraint.ok()) << text;
    EXPECT_NE(constraint.refusal().fact.find(fact), std::string::npos)
        << text << ": " << constraint.refusal().fact;
    EXPECT_FALSE(constraint.refusal().hint.empty()) << text;
  }
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Returns `count` feature names joined by the separator: names(3, '&') = "f0&f1&f2".
std::string names(std::size_t count, char separator, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += separator;
    text += "f" + std::to_string(first + i);
  }
  return text;
}

TEST(Constraint, HasLimitsOfLengthDepthAndNumberOfFeatures) {
  const auto depth = limits::constraint_depth_max - 1;
  EXPECT_TRUE(parse_constraint(repeat("(", depth) + "a" + repeat(")", depth)).ok());
  EXPECT_TRUE(parse_constraint(names(limits::constraint_words_max, '|')).ok());
  EXPECT_TRUE(parse_constraint(names(limits::constraint_clauses_max, '&')).ok());
  EXPECT_TRUE(parse_constraint("[" + names(limits::constraint_alternatives_max, '|') + "]").ok());
  EXPECT_TRUE(parse_constraint("(" + names(4, '&') + ")|(" + names(8, '&', 4) + ")").ok());
  const std::vector<std::pair<std::string, std::string>> table = {
      {repeat("(", depth + 1) + "a" + repeat(")", depth + 1), "in more than 16 others"},
      {repeat("[", 900), "in more than 16 others"},
      {std::string(1025, 'a'), "longer than 1024 bytes"},
      {std::string(257, 'a'), "name longer than 256 bytes"},
      {names(limits::constraint_words_max + 1, '|'), "more than 64 features"},
      {"[" + names(limits::constraint_alternatives_max + 1, '|') + "]", "more than 32 choices"},
      {"[a|b]&[c|d]&[e|f]&[g|h]&[i|j]&[k|l]", "more than 32 choices"},
      {"(" + names(4, '&') + ")|(" + names(9, '&', 4) + ")", "more than 32 demands"},
      {names(limits::constraint_clauses_max + 1, '&'), "more than 32 demands"},
      {"(" + names(4, '&') + ")|(" + names(8, '&', 4) + ")&z", "more than 32 demands"},
  };
  for (const auto& [text, fact] : table) {
    const Result<Constraint> constraint = parse_constraint(text);
    ASSERT_FALSE(constraint.ok()) << text;
    EXPECT_NE(constraint.refusal().fact.find(fact), std::string::npos) << constraint.refusal().fact;
  }
}

// ---- random constraints, compared with a slow evaluation of the same expression -----------------

struct Spoken {
  std::string text;
  // Whether the expression holds, for each of the 16 sets of the features a to d.
  std::vector<bool> holds;
};

Spoken speak(std::mt19937& random, int depth) {
  constexpr std::size_t sets = 16;
  if (depth == 0 || random() % 3 == 0) {
    const unsigned letter = random() % 4;
    const bool excluded = random() % 4 == 0;
    Spoken spoken{(excluded ? "!" : "") + std::string(1, static_cast<char>('a' + letter)),
                  std::vector<bool>(sets)};
    for (std::size_t set = 0; set < sets; ++set)
      spoken.holds[set] = (((set >> letter) & 1) != 0) != excluded;
    return spoken;
  }
  const bool is_and = random() % 2 == 0;
  const Spoken left = speak(random, depth - 1);
  const Spoken right = speak(random, depth - 1);
  Spoken spoken{"(" + left.text + ")" + (is_and ? "&" : "|") + "(" + right.text + ")",
                std::vector<bool>(sets)};
  for (std::size_t set = 0; set < sets; ++set)
    spoken.holds[set] =
        is_and ? left.holds[set] && right.holds[set] : left.holds[set] || right.holds[set];
  return spoken;
}

TEST(Constraint, EqualsASlowEvaluationAndParsesWhatItFormats) {
  const std::uint32_t seed = 17;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const Spoken spoken = speak(random, 4);
    const Result<Constraint> constraint = parse_constraint(spoken.text);
    if (!constraint) continue;  // beyond a limit
    ASSERT_EQ(constraint->alternatives.size(), 1u);
    for (std::size_t set = 0; set < spoken.holds.size(); ++set) {
      std::string letters;
      for (unsigned i = 0; i < 4; ++i)
        if ((set >> i) & 1) letters += static_cast<char>('a' + i);
      ASSERT_EQ(constraint->alternatives[0].every.node_satisfies(features_of(letters)),
                spoken.holds[set])
          << spoken.text << " on " << letters;
    }
    std::size_t words = 0;
    for (const auto& any_of : constraint->alternatives[0].every.all_of) words += any_of.size();
    // Its formatted form has too many names to be parsed.
    if (words > limits::constraint_words_max) continue;
    ASSERT_EQ(parse(format_constraint(*constraint)), *constraint) << spoken.text;
  }
}

TEST(Constraint, RandomTextIsParsedOrRefused) {
  const std::uint32_t seed = 19;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::string_view letters = "ab&|,()[]*2!";
  int read = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left) text += letters[random() % letters.size()];
    const Result<Constraint> constraint = parse_constraint(text);
    if (!constraint) continue;
    ++read;
    ASSERT_EQ(parse(format_constraint(*constraint)), *constraint) << text;
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace cox
