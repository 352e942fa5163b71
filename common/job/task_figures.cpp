#include "common/job/task_figures.h"

namespace cox {
namespace {

// Replaces `kept` by `other` if that is more (keep_least: less). Of two equal amounts, that of the
// lower rank is kept.
void keep_most(TaskAmount& kept, const TaskAmount& other) {
  if (other.task < 0) return;
  const bool is_equal = kept.amount == other.amount;
  const bool is_better = is_equal ? other.task < kept.task : other.amount > kept.amount;
  if (kept.task < 0 || is_better) kept = other;
}

void keep_least(TaskAmount& kept, const TaskAmount& other) {
  if (other.task < 0) return;
  const bool is_equal = kept.amount == other.amount;
  const bool is_better = is_equal ? other.task < kept.task : other.amount < kept.amount;
  if (kept.task < 0 || is_better) kept = other;
}

}  // namespace

void TaskFigures::add(const TaskFigures& other) {
  tasks += other.tasks;
  rss_kb += other.rss_kb;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  keep_most(most_rss_kb, other.most_rss_kb);
  keep_most(most_read_bytes, other.most_read_bytes);
  keep_most(most_written_bytes, other.most_written_bytes);
  keep_least(least_cpu_ms, other.least_cpu_ms);
}

TaskFigures figures_of(std::int32_t task, const TaskTook& took) {
  TaskFigures figures;
  figures.tasks = 1;
  figures.rss_kb = took.rss_kb;
  figures.read_bytes = took.read_bytes;
  figures.written_bytes = took.written_bytes;
  figures.most_rss_kb = {took.rss_kb, task};
  figures.most_read_bytes = {took.read_bytes, task};
  figures.most_written_bytes = {took.written_bytes, task};
  figures.least_cpu_ms = {took.cpu_ms, task};
  return figures;
}

}  // namespace cox
