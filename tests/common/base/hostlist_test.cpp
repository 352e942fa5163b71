#include "common/base/hostlist.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/base/limits.h"

namespace cox {
namespace {

using Names = std::vector<std::string>;

std::string compress_sorted(Names names) {
  sort_hostnames(names);
  return compress_hostlist(names);
}

Names expand(std::string_view text) {
  const Result<Names> names = expand_hostlist(text);
  EXPECT_TRUE(names.ok()) << text << ": " << (names.ok() ? "" : names.refusal().fact);
  return names.ok() ? *names : Names{};
}

TEST(Hostlist, IsCompressedLikeInSlurm) {
  const std::vector<std::pair<Names, std::string>> table = {
      {{}, ""},
      {{"n1"}, "n1"},
      {{"login"}, "login"},
      {{"n1", "n2"}, "n[1-2]"},
      {{"x1", "n10", "n2", "n1"}, "n[1-2,10],x1"},
      {{"n1", "n3", "n5"}, "n[1,3,5]"},
      {{"n07", "n08", "n09", "n10"}, "n[07-10]"},
      {{"n9", "n10", "n99", "n100"}, "n[9-10,99-100]"},
      {{"n098", "n099", "n100"}, "n[098-100]"},
      {{"r1n1", "r1n2", "r2n1"}, "r1n[1-2],r2n1"},
      {{"n1-ib", "n2-ib"}, "n1-ib,n2-ib"},
      {{"10", "11"}, "[10-11]"},
      {{"a123456789012345678", "a123456789012345679"}, "a[123456789012345678-123456789012345679]"},
      {{"a1234567890123456789", "a1234567890123456790"},
       "a1234567890123456789,a1234567890123456790"},
  };
  for (const auto& [names, text] : table) EXPECT_EQ(compress_sorted(names), text);
}

TEST(Hostlist, DoesNotMergeNumbersOfDifferentWidths) {
  EXPECT_EQ(compress_sorted({"n1", "n02", "n3"}), "n[1,02,3]");
  EXPECT_EQ(expand("n[1,02,3]"), (Names{"n1", "n02", "n3"}));
}

TEST(Hostlist, KeepsTheGivenOrder) {
  EXPECT_EQ(compress_hostlist({"n2", "n1", "n2", "x", "n3"}), "n[2,1-2],x,n3");
}

TEST(Hostlist, IsExpanded) {
  EXPECT_EQ(expand("n1"), (Names{"n1"}));
  EXPECT_EQ(expand("n[1-3,07],x"), (Names{"n1", "n2", "n3", "n07", "x"}));
  EXPECT_EQ(expand("r[1-2]n[1-2]"), (Names{"r1n1", "r1n2", "r2n1", "r2n2"}));
  EXPECT_EQ(expand("n[08-10]-ib"), (Names{"n08-ib", "n09-ib", "n10-ib"}));
  EXPECT_EQ(expand("n[1-2][3-4]"), (Names{"n13", "n14", "n23", "n24"}));
  EXPECT_EQ(expand("[1-2]x[3-4]"), (Names{"1x3", "1x4", "2x3", "2x4"}));
  EXPECT_EQ(expand("a[1-2]b[3-4]c[5,6]"),
            (Names{"a1b3c5", "a1b3c6", "a2b3c5", "a2b3c6", "a1b4c5", "a1b4c6", "a2b4c5", "a2b4c6"}))
      << "the order must be Slurm's";
}

TEST(Hostlist, AcceptsNamesAndNumbersUpToTheirLimits) {
  const std::string longest(limits::word_bytes_max, 'n');
  EXPECT_EQ(expand(longest), Names{longest});
  EXPECT_EQ(expand("n[999999999999999998-999999999999999999]"),
            (Names{"n999999999999999998", "n999999999999999999"}));
  EXPECT_EQ(expand("n[000000000000000009-000000000000000010]"),
            (Names{"n000000000000000009", "n000000000000000010"}));
}

TEST(Hostlist, MayHaveBracketsInBrackets) {
  EXPECT_EQ(expand("n[1[2-3],5]"), (Names{"n12", "n13", "n5"}));
  EXPECT_EQ(expand("n[[1-2],[5-6]]"), (Names{"n1", "n2", "n5", "n6"}));
  EXPECT_EQ(expand("n[0[1-2],1[0-1]]x[7,[8]]"),
            (Names{"n01x7", "n01x8", "n02x7", "n02x8", "n10x7", "n10x8", "n11x7", "n11x8"}));
  EXPECT_EQ(expand("n[1[2[3-4]5]]"), (Names{"n1235", "n1245"}));
  EXPECT_EQ(expand("n[[[[1]]]]"), (Names{"n1"}));
}

TEST(Hostlist, AMalformedListIsRefusedWithThePosition) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", "names no node (at character 1)"},
      {"n1,", "empty name (at character 4)"},
      {",n1", "empty name (at character 1)"},
      {"n[1-2", "never closed (at character 2)"},
      {"n[", "never closed"},
      {"n[]", "needs a number in a bracket (at character 3)"},
      {"n[1,]", "needs a number in a bracket (at character 5)"},
      {"n]1", "not opened (at character 2)"},
      {"n[1-2[3]]", "needs ',' or ']' in a bracket (at character 6)"},
      {"n[1[2]", "never closed (at character 2)"},
      {"n[1[2", "never closed (at character 4)"},
      {"n[1[]]", "needs a number in a bracket (at character 5)"},
      {"n[1[2]x]", "needs ',' or ']' in a bracket (at character 7)"},
      {"n[[[[[1]]]]]", "more than 4 brackets in brackets (at character 6)"},
      {"n[a-b]", "needs a number"},
      {"n[-1]", "needs a number"},
      {"n[1-]", "range without an end (at character 3)"},
      {"n[3-1]", "runs backwards (at character 3)"},
      {"n[010-9]", "runs backwards"},
      {"n[001-9]", "fewer digits than its beginning (at character 3)"},
      {"n[1-9999999999999999999]", "more than 18 digits"},
      {"n 1", "node names cannot have (at character 2)"},
      {"n;rm", "node names cannot have (at character 2)"},
      {"n\n", "node names cannot have (at character 2)"},
      {"..", "is not a node name"},
      {"-n1", "is not a node name"},
      {std::string("n\0", 2), "node names cannot have"},
      {std::string(limits::word_bytes_max + 1, 'n'), "longer than 256 bytes"},
      {"n[1,[2]" + std::string(limits::word_bytes_max, '3') + "]", "longer than 256 bytes"},
  };
  for (const auto& [text, fact] : table) {
    const Result<Names> names = expand_hostlist(text);
    ASSERT_FALSE(names.ok()) << text;
    EXPECT_NE(names.refusal().fact.find(fact), std::string::npos) << names.refusal().fact;
    EXPECT_FALSE(names.refusal().hint.empty());
  }
}

TEST(Hostlist, ATooLongListIsRefusedBeforeItIsExpanded) {
  EXPECT_EQ(expand("n[1-65536]").size(), limits::hostlist_nodes_max);
  for (const char* text :
       {"n[1-65537]", "n[0-999999999999999999]", "a[1-300]b[1-300]", "n[1-65536],x",
        "a[1-99]b[1-99]c[1-99]d[1-99]e[1-99]", "n[1-300][1-300]", "n[1[1-60000],2[1-60000]]",
        "n[1-2][[1-300][1-300]]", "n[[1-300][[1-300],1]]"}) {
    const Result<Names> names = expand_hostlist(text);
    ASSERT_FALSE(names.ok()) << text;
    EXPECT_NE(names.refusal().fact.find("more than 65536 nodes"), std::string::npos) << text;
  }
}

TEST(Hostlist, IsOrderedByTheValueOfNumbers) {
  Names names = {"n10", "x1", "n2", "n", "n02", "n1", "m7", "r2n1", "r1n10", "r1n9"};
  sort_hostnames(names);
  EXPECT_EQ(names, (Names{"m7", "n", "n1", "n02", "n2", "n10", "r1n9", "r1n10", "r2n1", "x1"}));
}

// Compressing random names and expanding the result gives the same names in the same order.
TEST(Hostlist, IsExpandedToTheNamesThatWereCompressed) {
  const std::uint32_t seed = 20261;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> prefixes = {"n", "gpu-", "r1c", "", "a.b_", "n0"};
  for (int round = 0; round < 2000; ++round) {
    Names names;
    for (std::size_t i = random() % 12 + 1; i > 0; --i) {
      std::string digits = std::to_string(random() % 4 == 0 ? 95 + random() % 10 : random() % 12);
      digits.insert(0, random() % 3, '0');
      const std::string tail = random() % 8 == 0 ? "-ib" : "";
      names.push_back(prefixes[random() % prefixes.size()] + digits + tail);
    }
    if (random() % 2 == 0) sort_hostnames(names);
    const std::string text = compress_hostlist(names);
    ASSERT_EQ(expand(text), names) << text;
  }
}

// Random text is parsed into valid names, or refused.
TEST(Hostlist, RandomTextIsExpandedOrRefused) {
  const std::uint32_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string alphabet = "n019[]-, ";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 14; i > 0; --i) text += alphabet[random() % alphabet.size()];
    const Result<Names> names = expand_hostlist(text);
    if (!names) continue;
    ASSERT_FALSE(names->empty()) << text;
    for (const std::string& name : *names) ASSERT_TRUE(is_host_name(name)) << text;
  }
}

}  // namespace
}  // namespace cox
