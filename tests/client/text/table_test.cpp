// Tests how durations and sizes, tables, and lines with names are shown.
#include "client/text/table.h"

#include <gtest/gtest.h>

#include "client/show/show_words.h"
#include "client/text/moments.h"
#include "tests/client/sample_job.h"

namespace cox {
namespace {

TEST(Moments, a_unit_begins_exactly_at_its_length) {
  const auto all = [](auto text) {
    std::string out;
    for (const std::int64_t s :
         {0, 59, 60, 61, 3599, 3600, 3660, 86'399, 86'400, 90'000, 172'799, 172'800, 259'200})
      out += text(s) + "\n";
    return out;
  };
  EXPECT_EQ(all([](std::int64_t s) { return duration_text(s * 1000); }),
            "0 s\n"
            "59 s\n"
            "1 min\n"
            "1 min 1 s\n"
            "59 min 59 s\n"
            "1 h\n"
            "1 h 1 min\n"
            "23 h 59 min\n"
            "1 day\n"
            "1 day 1 h\n"
            "1 day 23 h\n"
            "2 days\n"
            "3 days\n");
  EXPECT_EQ(all([](std::int64_t s) { return ago_text(before(at_noon(), s * 1000), at_noon()); }),

            "now\n"
            "59 s ago\n"
            "1 min ago\n"
            "1 min ago\n"
            "59 min ago\n"
            "1 h ago\n"
            "1 h ago\n"
            "23 h ago\n"
            "24 h ago\n"
            "25 h ago\n"
            "47 h ago\n"
            "2 days ago\n"
            "3 days ago\n");
  EXPECT_EQ(all([](std::int64_t s) { return ago_text(before(at_noon(), -s * 1000), at_noon()); }),

            "now\n"
            "in 59 s\n"
            "in 1 min\n"
            "in 1 min\n"
            "in 59 min\n"
            "in 1 h\n"
            "in 1 h 1 min\n"
            "in 23 h 59 min\n"
            "in 1 day\n"
            "in 1 day 1 h\n"
            "in 1 day 23 h\n"
            "in 2 days\n"
            "in 3 days\n");
  EXPECT_EQ(all(slurm_clock_text),
            "0:00\n"
            "0:59\n"
            "1:00\n"
            "1:01\n"
            "59:59\n"
            "1:00:00\n"
            "1:01:00\n"
            "23:59:59\n"
            "1-00:00:00\n"
            "1-01:00:00\n"
            "1-23:59:59\n"
            "2-00:00:00\n"
            "3-00:00:00\n");
  EXPECT_EQ(duration_text(-5'000), "0 s");
  EXPECT_EQ(slurm_clock_text(-5), "0:00");
}

TEST(Moments, are_written_to_the_millisecond_for_programs) {
  EXPECT_EQ(iso_text(wall_from_ms(1'795'262'400'007)), "2026-11-21T12:00:00.007Z");
  EXPECT_EQ(iso_text(wall_from_ms(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(slurm_moment_text(at_noon().now, at_noon()), "2026-11-21T13:00:00");
  EXPECT_EQ(absolute_text(Wall{}, at_noon()), "-");
}

TEST(Sizes, are_shown_in_the_largest_unit_that_fits) {
  std::string all;
  for (const std::int64_t bytes :
       {std::int64_t{0}, std::int64_t{1023}, std::int64_t{1024}, std::int64_t{1} << 20,
        std::int64_t{1} << 30, std::int64_t{1} << 40, std::int64_t{1} << 50, std::int64_t{1} << 61})
    all += bytes_text(bytes) + ", ";
  EXPECT_EQ(all, "0 B, 1023 B, 1.0 KiB, 1.0 MiB, 1.0 GiB, 1.0 TiB, 1.0 PiB, 2048.0 PiB, ");
  EXPECT_EQ(memory_text(1536), "1.5 GiB");
}

TEST(Table, cuts_its_last_column_only_if_it_is_too_long) {
  const auto line = [](const std::string& text, std::size_t width) {
    Table table({"A", "B"});
    table.row({"a", text});
    const std::string all = table.text(false, width);
    return all.substr(all.find('\n') + 1);
  };
  EXPECT_EQ(line("abcdefghijklmnop", 5), "a  abcdefghijklmnop\n")
      << "the column is never narrower than 16";
  EXPECT_EQ(line("abcdefghijklmnopq", 5), "a  abcdefghijklmn..\n");
  EXPECT_EQ(line("abcdefghijklmnopq", 20), "a  abcdefghijklmnopq\n");
  EXPECT_EQ(line("abcdefghijklmnopqr", 20), "a  abcdefghijklmno..\n");
  EXPECT_EQ(line("12345678901234567", 5), "a  12345678901234567\n") << "no number is cut";
  EXPECT_EQ(line("äöüäöüäöüäöüäöüäö", 19), "a  äöüäöüäöüäöüäö..\n")
      << "the width is counted in characters";
}

TEST(Table, cuts_another_column_rather_than_a_date) {
  Table table({"PROGRESS", "WHY"});
  table.shrinks(0, 10);
  table.row(
      {"5 %, 0.373/s, 42 min 16 s left", "does not start before 2026-11-26 10:00:00 (in 2 h)"});
  const std::string text = table.text(false, 60);
  EXPECT_NE(text.find("does not start before 2026-11-26 10:00:00"), std::string::npos) << text;
  EXPECT_NE(text.find("5 %, 0."), std::string::npos) << text;
}

TEST(Table, cuts_and_leaves_out_other_columns_before_names) {
  const auto line = [](std::size_t width) {
    Table table({"JOB", "NAME", "USER", "WHY"});
    table.names(1, 12).shrinks(2, 4).leaves(2, 1);
    table.row({"1", "train-resnet-a100-1", "abcdefghij", std::string(50, 'x')});
    const std::string all = table.text(false, width);
    return all.substr(all.find('\n') + 1);
  };
  const std::string last = "xxxxxxxxxxxxxx..\n";
  EXPECT_EQ(line(50), "1    train-resnet-a100-1  abcd..  " + last);
  EXPECT_EQ(line(44), "1    train-resnet-a100-1  xx" + last);
  EXPECT_EQ(line(40), "1    train-resnet-a..   " + last);
}

TEST(Table, names_that_differ_look_different_when_they_are_cut) {
  Table table({"NAME", "NODE"});
  table.names(0, 12);
  table.row({"train-resnet-lr1-seed1", "rack1-compute-node-a"});
  table.row({"train-resnet-lr1-seed2", "rack1-compute-node-b"});
  table.row({"other", "rack1"});
  EXPECT_EQ(table.text(false, 30),
            "NAME          NODE\n"
            "tra..1-seed1  rack..ute-node-a\n"
            "tra..1-seed2  rack..ute-node-b\n"
            "other         rack1\n");
}

TEST(Table, an_empty_cell_has_no_colour) {
  EXPECT_EQ(coloured("", Colour::Red, true), "");
  EXPECT_EQ(coloured("x", Colour::Red, false), "x");
  EXPECT_EQ(coloured("x", Colour::None, true), "x");
  std::string all;
  for (const Colour colour :
       {Colour::Green, Colour::Yellow, Colour::Red, Colour::Blue, Colour::Dim, Colour::Bold})
    all += coloured("x", colour, true);
  EXPECT_EQ(all,
            "\033[32mx\033[0m\033[33mx\033[0m\033[31mx\033[0m\033[34mx\033[0m\033[2mx\033[0m\033["
            "1mx\033[0m");
}

TEST(Table, aligns_named_lines_to_the_longest_shown_name) {
  EXPECT_EQ(named_lines({{"a", "1"}, {"longer", ""}, {"bcd", "2"}}, false), "a    1\nbcd  2\n");
  EXPECT_EQ(named_lines({{"a", "1"}, {"bcd", "2"}}, true),
            "\033[2ma\033[0m    1\n\033[2mbcd\033[0m  2\n");
}

}  // namespace
}  // namespace cox
