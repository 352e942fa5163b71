// Resource use of the tasks of a step: sums, from which sacct computes averages, and the task that
// used the most or the least of each resource. Only tasks that have exited count. Pure.
#pragma once

#include <cstdint>

#include "common/base/fields.h"

namespace cox {

struct TaskAmount {
  std::int64_t amount = 0;
  std::int32_t task = -1;  // rank of the task; -1: no task has exited yet

  COX_FIELDS(amount, task);
  bool operator==(const TaskAmount&) const = default;
};

struct TaskFigures {
  std::int64_t tasks = 0;       // number of tasks in the sums below
  std::int64_t rss_kb = 0;      // sum of the peak memory of each task, in KiB
  std::int64_t read_bytes = 0;  // bytes that read() and the like returned, also from the page cache
  std::int64_t written_bytes = 0;  // bytes that write() and the like took
  TaskAmount most_rss_kb{};
  TaskAmount most_read_bytes{};
  TaskAmount most_written_bytes{};
  TaskAmount least_cpu_ms{};

  void add(const TaskFigures& other);

  COX_FIELDS(tasks, rss_kb, read_bytes, written_bytes, most_rss_kb, most_read_bytes,
             most_written_bytes, least_cpu_ms);
  bool operator==(const TaskFigures&) const = default;
};

// Resource use of one task.
struct TaskTook {
  std::int64_t cpu_ms = 0;
  std::int64_t rss_kb = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};
TaskFigures figures_of(std::int32_t task, const TaskTook& took);

}  // namespace cox
