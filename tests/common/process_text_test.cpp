#include "common/process_text.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(ProcessText, AStatIsReadBehindItsNameWhateverThatIs) {
  const auto stat = parse_process_stat(
      "42 (a) R 7 (b) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0 0");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->start_ticks, 987654);
  EXPECT_FALSE(parse_process_stat("42 (cut off) S 7"));
  EXPECT_FALSE(parse_process_stat(""));
}

TEST(ProcessText, AnEntryIsNotFoundInTheMiddleOfAnother) {
  const std::string_view block("XA=1\0A=12\0B=A=1\0", 16);
  EXPECT_FALSE(has_entry(block, "A=1"));
  EXPECT_TRUE(has_entry(block, "A=12"));
  EXPECT_TRUE(has_entry_beginning(block, "A=1"));
  EXPECT_FALSE(has_entry_beginning(block, "=1"));
  EXPECT_TRUE(has_entry("A=1", "A=1"));
}

}  // namespace
}  // namespace cox
