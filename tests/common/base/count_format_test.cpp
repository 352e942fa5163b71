#include "common/base/count_format.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cox {
namespace {

TEST(CountFormat, AcceptsWholeNumbersWithinTheirBounds) {
  EXPECT_EQ(*parse_count("1", 1, 9), 1);
  EXPECT_EQ(*parse_count("009", 1, 9), 9);
  for (const char* text :
       {"", "0", "10", "-1", "+1", "1.0", " 1", "1 ", "0x1", "1e0", "99999999999999999999"})
    EXPECT_EQ(parse_count(text, 1, 9).refusal().fact,
              "\"" + std::string(text) + "\" is not a whole number from 1 to 9");
}

TEST(CountFormat, AcceptsThousandths) {
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {"0", 0},      {"1", 1000},    {"0.8", 800},   {"0.25", 250},   {"0.001", 1},
      {"1.5", 1500}, {"0.100", 100}, {"01.0", 1000}, {"2.999", 2999}, {"3", 3000},
  };
  for (const auto& [text, milli] : table) EXPECT_EQ(*parse_milli(text, 0, 3000), milli) << text;
  for (const char* text : {"", ".", ".5", "1.", "3.001", "4", "0.0001", "0.1234", "-1", "+1", "1e3",
                           "1.2.3", "0,5", "1.-5", "1. 5", "99999999999999999999"})
    EXPECT_NE(parse_milli(text, 0, 3000)
                  .refusal()
                  .fact.find("is not a number from 0 to 3 with at most 3 digits after the point"),
              std::string::npos)
        << text;
  EXPECT_FALSE(parse_milli("0", 1, 999).ok());
  EXPECT_FALSE(parse_milli("1", 1, 999).ok());
}

TEST(CountFormat, ParsesTheThousandthsThatItFormats) {
  EXPECT_EQ(format_milli(800), "0.8");
  EXPECT_EQ(format_milli(1), "0.001");
  EXPECT_EQ(format_milli(2000), "2");
  for (std::int64_t milli = 0; milli <= 3000; ++milli)
    ASSERT_EQ(*parse_milli(format_milli(milli), 0, 3000), milli);
}

}  // namespace
}  // namespace cox
