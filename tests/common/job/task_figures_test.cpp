#include "common/job/task_figures.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

TEST(TaskFigures, AddSumsAndKeepTheExtremesOfAllNodes) {
  TaskFigures one =
      figures_of(3, {.cpu_ms = 50, .rss_kb = 100, .read_bytes = 7, .written_bytes = 1});
  one.add(figures_of(1, {.cpu_ms = 20, .rss_kb = 300, .read_bytes = 5, .written_bytes = 9}));
  TaskFigures other =
      figures_of(0, {.cpu_ms = 20, .rss_kb = 200, .read_bytes = 8, .written_bytes = 9});
  TaskFigures all;
  all.add(one);
  all.add(other);
  EXPECT_EQ(all.tasks, 3);
  EXPECT_EQ(all.rss_kb, 600);
  EXPECT_EQ(all.read_bytes, 20);
  EXPECT_EQ(all.written_bytes, 19);
  EXPECT_EQ(all.most_rss_kb, (TaskAmount{300, 1}));
  EXPECT_EQ(all.most_read_bytes, (TaskAmount{8, 0}));
  EXPECT_EQ(all.most_written_bytes, (TaskAmount{9, 0})) << "the lower rank of equal ones";
  EXPECT_EQ(all.least_cpu_ms, (TaskAmount{20, 0}));
}

TEST(TaskFigures, OfNoTasksChangeNothingWhenTheyAreAdded) {
  TaskFigures figures =
      figures_of(2, {.cpu_ms = 5, .rss_kb = 6, .read_bytes = 7, .written_bytes = 8});
  const TaskFigures before = figures;
  figures.add({});
  EXPECT_EQ(figures, before);
  TaskFigures none;
  none.add(figures);
  EXPECT_EQ(none, figures);
}

}  // namespace
}  // namespace cox
