#include "common/syntax/node_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/limits.h"
#include "tests/common/refusal.h"

namespace cox {
namespace {

TEST(NodeRange, IsANumberARangeOrAList) {
  struct Row {
    std::string text;
    NodeRange range;
    std::string written;
  };
  const std::vector<Row> table = {
      {"4", {4, 4, {}}, "4"},
      {"4-4", {4, 4, {}}, "4"},
      {"4-16", {4, 16, {}}, "4-16"},
      {"1-16384", {1, 16384, {}}, "1-16384"},
      {"4,8,16", {4, 16, {4, 8, 16}}, "4,8,16"},
      {"16,4,8,4", {4, 16, {4, 8, 16}}, "4,8,16"},
      {"4,4", {4, 4, {}}, "4"},
      {"5,4,6", {4, 6, {}}, "4-6"},
      {"-3", {1, 3, {}}, "1-3"},
      {"-1", {1, 1, {}}, "1"},
      {"1k", {1024, 1024, {}}, "1024"},
      {"16K", {16384, 16384, {}}, "16384"},
      {"4-2k", {4, 2048, {}}, "4-2048"},
      {"-2k", {1, 2048, {}}, "1-2048"},
      {"1k,2k", {1024, 2048, {1024, 2048}}, "1024,2048"},
  };
  for (const auto& [text, range, written] : table) {
    const auto parsed = parse_node_range(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, range) << text;
    EXPECT_EQ(format_node_range(*parsed), written);
    EXPECT_EQ(*parse_node_range(written), range);
  }
}

TEST(NodeRange, AllowsTheListedNumbersOfNodesAndFindsTheLargestWithinALimit) {
  struct Row {
    NodeRange range;
    // The largest allowed size of at most 0, 1, 2, ... nodes.
    std::vector<std::int64_t> largest_within;
  };
  const std::vector<Row> table = {
      {{}, {0, 1, 1}},
      {{2, 4, {}}, {0, 0, 2, 3, 4, 4, 4}},
      {{2, 6, {2, 4, 6}}, {0, 0, 2, 2, 4, 4, 6, 6}},
  };
  for (const auto& [range, largest] : table) {
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const auto nodes = static_cast<std::int64_t>(i);
      EXPECT_EQ(range.largest_within(nodes), largest[i]) << format_node_range(range) << " of " << i;
      EXPECT_EQ(range.allows(nodes), nodes > 0 && largest[i] == nodes);
    }
    EXPECT_FALSE(range.allows(-1));
  }
  EXPECT_TRUE((NodeRange{4, 4, {}}).is_fixed());
  EXPECT_FALSE((NodeRange{4, 5, {}}).is_fixed());
}

TEST(NodeRange, AnInvalidRangeIsRefused) {
  std::string many = "1";
  for (std::size_t i = 1; i <= limits::node_sizes_max; ++i) many += "," + std::to_string(2 * i + 1);
  expect_refusals({{"", "the number of nodes: \"\" is not a whole number from 1 to 16384"},
                   {"0", "the number of nodes: \"0\""},
                   {"4-", "the number of nodes: \"\""},
                   {"-", "the number of nodes: \"\""},
                   {"-0", "the number of nodes: \"0\""},
                   {"--4", "the number of nodes: \"-4\""},
                   {"0-4", "the number of nodes: \"0\""},
                   {"-3,5", "the number of nodes: \"-3\""},
                   {"k", "the number of nodes: \"k\""},
                   {"0k", "the number of nodes: \"0k\""},
                   {"1g", "the number of nodes: \"1g\""},
                   {"1kk", "the number of nodes: \"1kk\""},
                   {"1.5k", "the number of nodes: \"1.5k\""},
                   {"4-16:4", "the number of nodes: \"16:4\""},
                   {"4-8-16", "the number of nodes: \"8-16\""},
                   {"4,8-16", "the number of nodes: \"8-16\""},
                   {"4,", "the number of nodes: \"\""},
                   {"16-4", "runs backwards"},
                   {many, "more than 64 numbers of nodes"}},
                  parse_node_range);
}

TEST(NodeRange, MoreNodesThanAnyJobMayHaveAreRefusedAsTooMany) {
  RefusalTable table;
  for (const char* text : {"16385", "17k", "1m", "1M", "9999999999999k", "99999999999999999999"})
    table.emplace_back(text, "\"" + std::string(text) +
                                 "\" is more than 16384, the most nodes that one job may have");
  table.emplace_back("4-16385", "\"16385\" is more than 16384");
  table.emplace_back("-1m", "\"1m\" is more than 16384");
  expect_refusals(table, parse_node_range);
}

}  // namespace
}  // namespace cox
