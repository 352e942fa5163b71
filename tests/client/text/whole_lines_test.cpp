// Tests how srun cuts the output of tasks into lines, with and without labels.
#include "client/text/whole_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace cox {
namespace {

constexpr StreamName to_out = StreamName::Output;
constexpr StreamName to_err = StreamName::Error;

TEST(WholeLines, are_collected_by_task_and_stream) {
  WholeLines lines(4, false);
  EXPECT_EQ(lines.take(0, to_out, "ab"), "");
  EXPECT_EQ(lines.take(1, to_out, "x\ny\nz"), "x\ny\n");
  EXPECT_EQ(lines.take(0, to_err, "E"), "");
  EXPECT_EQ(lines.take(0, to_out, "c\n"), "abc\n");
  EXPECT_EQ(lines.take(0, to_out, "\n"), "\n");
  EXPECT_EQ(lines.end(0, to_out), "");
  EXPECT_EQ(lines.end(3, to_out), "") << "task 3 never wrote";
  EXPECT_EQ(lines.end(0, to_err), "E");
  EXPECT_EQ(lines.end(0, to_err), "") << "the rest is returned only once";
  EXPECT_EQ(lines.take(2, to_err, "F"), "");
  EXPECT_EQ(lines.end_all(to_out), "z");
  EXPECT_EQ(lines.end_all(to_out), "");
  EXPECT_EQ(lines.end_all(to_err), "F");
}

TEST(WholeLines, have_labels_with_right_aligned_numbers) {
  WholeLines eleven(11, true);
  EXPECT_EQ(eleven.take(7, to_out, "a\n\nb"), " 7: a\n 7: \n");
  EXPECT_EQ(eleven.take(10, to_out, "c\n"), "10: c\n");
  EXPECT_EQ(eleven.end(7, to_out), " 7: b\n") << "a label needs a line of its own";
  WholeLines ten(10, true);
  EXPECT_EQ(ten.take(9, to_out, "a\n"), "9: a\n");
  WholeLines none(0, true);
  EXPECT_EQ(none.take(0, to_out, "a\n"), "0: a\n");
  EXPECT_EQ(none.take(12, to_err, "b"), "");
  EXPECT_EQ(none.end_all(to_err), "12: b\n");
}

TEST(WholeLines, are_cut_at_their_limit) {
  const std::string most(WholeLines::line_bytes_max, 'x');
  WholeLines plain(1, false);
  EXPECT_EQ(plain.take(0, to_out, most), "") << "the line may still end";
  EXPECT_EQ(plain.take(0, to_out, "y"), most + "y");
  EXPECT_EQ(plain.end(0, to_out), "");
  WholeLines labelled(1, true);
  const std::string below = most.substr(1);
  EXPECT_EQ(labelled.take(0, to_out, below), "");
  EXPECT_EQ(labelled.take(0, to_out, "\n"), "0: " + below + "\n");
  EXPECT_EQ(labelled.take(0, to_out, most + "y"), "0: " + most + "\n");
  EXPECT_EQ(labelled.end(0, to_out), "0: y\n");
}

}  // namespace
}  // namespace cox
