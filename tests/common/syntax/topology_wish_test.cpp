#include "common/syntax/topology_wish.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/common/refusal.h"

namespace cox {
namespace {

TEST(Switches, AreParsedAsACountAndALongestWait) {
  struct Row {
    std::string text;
    SwitchesWish wish;
    std::string written;
  };
  const std::vector<Row> table = {
      {"1", {1, {}}, "1"},
      {"2@60", {2, 3600}, "2@01:00:00"},
      {"1@1-00:00:01", {1, 86401}, "1@1-00:00:01"},
      {"1@UNLIMITED", {1, 0}, "1@UNLIMITED"},
      {"1@0", {1, 0}, "1@UNLIMITED"},
  };
  for (const auto& [text, wish, written] : table) {
    const auto parsed = parse_switches(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, wish) << text;
    EXPECT_EQ(format_switches(*parsed), written);
    EXPECT_EQ(*parse_switches(written), wish);
  }
}

TEST(Switches, InvalidSwitchesAreRefused) {
  expect_refusals({{"", "the number of switches: \"\" is not a whole number from 1 to 16384"},
                   {"0", "the number of switches: \"0\""},
                   {"x@5", "the number of switches: \"x\""},
                   {"@5", "the number of switches: \"\""},
                   {"1@", "\"\" is not a time"},
                   {"1@soon", "\"soon\" is not a time"},
                   {"1@5@5", "\"5@5\" is not a time"},
                   {"1@367-0", "longer than 366-00:00:00"}},
                  parse_switches);
}

TEST(TopologyWish, NamesALevelAndWhetherItIsRequired) {
  const std::vector<std::pair<std::string, TopologyWish>> table = {
      {"required:leaf", {TopologyForce::Required, "leaf"}},
      {"preferred:nvlink", {TopologyForce::Preferred, "nvlink"}},
      {"required:rack-row.2", {TopologyForce::Required, "rack-row.2"}},
  };
  for (const auto& [text, wish] : table) {
    const auto parsed = parse_topology_wish(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.refusal().fact;
    EXPECT_EQ(*parsed, wish) << text;
    EXPECT_EQ(format_topology_wish(*parsed), text);
  }
  EXPECT_EQ(format_topology_wish({}), "");
}

TEST(TopologyWish, AnInvalidRequestIsRefused) {
  expect_refusals({{"", "does not begin with required: or preferred:"},
                   {"leaf", "does not begin with required: or preferred:"},
                   {"wanted:leaf", "does not begin with required: or preferred:"},
                   {"required", "\"\" is not the name of a level"},
                   {"required:", "\"\" is not the name of a level"},
                   {"required:a b", "\"a b\" is not the name of a level"},
                   {"required:leaf:spine", "\"leaf:spine\" is not the name of a level"}},
                  parse_topology_wish);
  EXPECT_EQ(parse_topology_wish("prefered:leaf").refusal().hint, "did you mean preferred?");
}

}  // namespace
}  // namespace cox
