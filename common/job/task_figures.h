// What the tasks of a step took, task by task: sums, of which sacct makes averages, and the task
// that took the most or the least. Only tasks that have exited count. Pure.
#pragma once

#include <cstdint>

namespace cox {

struct TaskAmount {
  std::int64_t amount = 0;
  std::int32_t task = -1;  // its rank; -1: no task has exited

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.amount, self.task);
  }
  bool operator==(const TaskAmount&) const = default;
};

struct TaskFigures {
  std::int64_t tasks = 0;          // number of tasks that the sums are of
  std::int64_t rss_kb = 0;         // sum of the most memory that each held
  std::int64_t read_bytes = 0;     // by read() and its kin, also through the page cache
  std::int64_t written_bytes = 0;  // likewise, by write()
  TaskAmount most_rss_kb{};
  TaskAmount most_read_bytes{};
  TaskAmount most_written_bytes{};
  TaskAmount least_cpu_ms{};

  void add(const TaskFigures& other);

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tasks, self.rss_kb, self.read_bytes, self.written_bytes, self.most_rss_kb,
          self.most_read_bytes, self.most_written_bytes, self.least_cpu_ms);
  }
  bool operator==(const TaskFigures&) const = default;
};

// What one task took.
struct TaskTook {
  std::int64_t cpu_ms = 0;
  std::int64_t rss_kb = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};
TaskFigures figures_of(std::int32_t task, const TaskTook& took);

}  // namespace cox
