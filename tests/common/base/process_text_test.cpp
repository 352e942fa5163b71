#include "common/base/process_text.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(ProcessText, AStatIsParsedWhateverTheProcessName) {
  const auto stat = parse_process_stat(
      "42 (a) R 7 (b) S 7 42 41 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0 0");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->session, 41);
  EXPECT_EQ(stat->start_ticks, 987654);
  EXPECT_FALSE(parse_process_stat("42 (cut off) S 7"));
  EXPECT_FALSE(parse_process_stat(""));
}

TEST(ProcessText, TheUsageOfAProcessIsParsed) {
  const auto usage = parse_process_usage(
      "42 (a) R 7 (b) S 7 42 42 0 -1 4194560 1 0 5 0 100 20 3 4 20 0 1 0 987654 4096 12 0");
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->name, "a) R 7 (b");
  EXPECT_EQ(usage->cpu_ticks, 127);
  EXPECT_EQ(usage->major_faults, 5);
  EXPECT_EQ(usage->vsize_bytes, 4096);
  EXPECT_FALSE(parse_process_usage("42 a) R 7"));
  EXPECT_FALSE(parse_process_usage(")("));
  const std::string_view status = "VmPeak:\t  10 kB\nVmHWM:\t    1236 kB\n";
  EXPECT_EQ(number_of_line(status, "VmHWM:"), 1236);
  EXPECT_EQ(number_of_line(status, "HWM:"), 0) << "a match inside a line does not count";
  EXPECT_EQ(entry_value(std::string_view("XA=1\0A=12\0", 10), "A"), "12");
  EXPECT_FALSE(entry_value("AB=1", "A"));
}

TEST(ProcessText, AnEnvironmentEntryIsNotFoundInsideAnother) {
  const std::string_view block("XA=1\0A=12\0B=A=1\0", 16);
  EXPECT_FALSE(has_entry(block, "A=1"));
  EXPECT_TRUE(has_entry(block, "A=12"));
  EXPECT_TRUE(has_entry_beginning(block, "A=1"));
  EXPECT_FALSE(has_entry_beginning(block, "=1"));
  EXPECT_TRUE(has_entry("A=1", "A=1"));
}

TEST(ProcessText, AnEnvironmentThatWasOverwrittenIsNotWhole) {
  EXPECT_TRUE(is_whole_environment(std::string_view("A=1\0B=\0", 7)));
  EXPECT_TRUE(is_whole_environment("A=1")) << "the last entry was cut";
  EXPECT_FALSE(is_whole_environment("")) << "a process that ends, or has none";
  EXPECT_FALSE(is_whole_environment(std::string_view("\0\0\0", 3)));
  EXPECT_FALSE(is_whole_environment(std::string_view("ray::IDLE\0\0A=1\0", 15)));
  EXPECT_FALSE(is_whole_environment(std::string_view("=1\0", 3)));
}

}  // namespace
}  // namespace cox
