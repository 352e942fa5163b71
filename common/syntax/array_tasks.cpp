#include "common/syntax/array_tasks.h"

#include <algorithm>
#include <iterator>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

constexpr std::string_view array_hint =
    "write it like 0-999, 1,3,5-7 or 0-15:4, followed by %50 for at most 50 at once";

using Range = ArrayTasks::Range;

// Returns how many numbers, from index `from` on, have equal distances. If the distance is more
// than 1, the last number is left out if it begins a run of consecutive ones: 1,3,5-7 and not
// 1-5:2,6-7.
std::size_t run_length(const std::vector<std::int64_t>& tasks, std::size_t from) {
  if (from + 1 == tasks.size()) return 1;
  const std::int64_t step = tasks[from + 1] - tasks[from];
  std::size_t end = from + 2;
  while (end < tasks.size() && tasks[end] - tasks[end - 1] == step) ++end;
  const bool side_by_side = end < tasks.size() && tasks[end] - tasks[end - 1] == 1;
  return end - from - (step > 1 && side_by_side ? 1 : 0);
}

// Groups numbers into ranges. REQUIRES: the numbers ascend, and none occurs twice.
std::vector<Range> folded(const std::vector<std::int64_t>& tasks) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < tasks.size();) {
    const std::size_t length = run_length(tasks, i);
    const std::int64_t step = length > 1 ? tasks[i + 1] - tasks[i] : 1;
    // Two numbers that are not consecutive become no range, because each may belong to another one.
    const std::size_t taken = length >= 3 || step == 1 ? length : 1;
    ranges.push_back({tasks[i], tasks[i + taken - 1], taken > 1 ? step : 1});
    i += taken;
  }
  return ranges;
}

Result<std::int64_t> parse_task(std::string_view text) {
  const auto task = parse_count(text, 0, limits::array_task_id_max);
  if (task) return task;
  return Refusal{"the number of a task: " + task.refusal().fact, std::string(array_hint)};
}

// Parses "5", "5-7" or "0-15:4".
Result<Range> parse_range(std::string_view text) {
  Range range;
  const std::size_t colon = text.find(':');
  const std::string_view ends = text.substr(0, colon);
  // From index 1 on, since a dash at the start would be a minus sign.
  const std::size_t dash = ends.find('-', 1);
  const auto first = parse_task(ends.substr(0, dash));
  if (!first) return first.refusal();
  range.first = range.last = *first;
  if (dash == std::string_view::npos) {
    if (colon == std::string_view::npos) return range;
    return Refusal{quoted(text) + " has a step but no range", std::string(array_hint)};
  }
  const auto last = parse_task(ends.substr(dash + 1));
  if (!last) return last.refusal();
  if (*last < *first)
    return Refusal{quoted(text) + " is a range of tasks that runs backwards",
                   "write the smaller number first"};
  if (colon != std::string_view::npos) {
    const auto step = parse_count(text.substr(colon + 1), 1, limits::array_task_id_max);
    if (!step)
      return Refusal{"the step of " + quoted(text) + ": " + step.refusal().fact,
                     std::string(array_hint)};
    range.step = *step;
  }
  range.last = *last - (*last - *first) % range.step;
  if (range.first == range.last) range.step = 1;
  return range;
}

std::string text_of(const Range& range) {
  std::string text = std::to_string(range.first);
  if (range.last == range.first) return text;
  text += "-" + std::to_string(range.last);
  return range.step == 1 ? text : text + ":" + std::to_string(range.step);
}

}  // namespace

ArrayTasks::ArrayTasks(std::vector<std::int64_t> tasks) {
  std::ranges::sort(tasks);
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  ranges_ = folded(tasks);
}

std::int64_t ArrayTasks::count() const {
  std::int64_t count = 0;
  for (const Range& range : ranges_) count += range.count();
  return count;
}

bool ArrayTasks::contains(std::int64_t task) const {
  return std::ranges::any_of(ranges_, [&](const Range& range) { return range.contains(task); });
}

std::vector<std::int64_t> ArrayTasks::all() const {
  std::vector<std::int64_t> tasks;
  for (const Range& range : ranges_)
    for (std::int64_t task = range.first; task <= range.last; task += range.step)
      tasks.push_back(task);
  return tasks;
}

void ArrayTasks::remove(std::int64_t task) {
  if (!contains(task)) return;
  std::vector<Range>& ranges = ranges_.change();
  const auto at =
      std::ranges::find_if(ranges, [&](const Range& range) { return range.contains(task); });
  const Range whole = *at;
  std::vector<Range> left;
  if (task > whole.first) left.push_back({whole.first, task - whole.step, whole.step});
  if (task < whole.last) left.push_back({task + whole.step, whole.last, whole.step});
  for (Range& range : left)
    if (range.first == range.last) range.step = 1;
  const auto gap = ranges.erase(at);
  ranges.insert(gap, left.begin(), left.end());
}

ArrayTasks ArrayTasks::without(const ArrayTasks& others) const {
  constexpr std::int64_t few = 64;
  ArrayTasks left = *this;
  if (others.count() <= few) {
    for (const std::int64_t task : others.all()) left.remove(task);
    return left;
  }
  std::vector<std::int64_t> tasks;
  std::ranges::set_difference(all(), others.all(), std::back_inserter(tasks));
  return ArrayTasks(std::move(tasks));
}

ArrayTasks ArrayTasks::common_with(const ArrayTasks& others) const {
  std::vector<std::int64_t> tasks;
  std::ranges::set_intersection(all(), others.all(), std::back_inserter(tasks));
  return ArrayTasks(std::move(tasks));
}

Result<ArrayTasks> parse_array_tasks(std::string_view text) {
  std::vector<Range> ranges;
  std::int64_t count = 0;
  for (const std::string_view part : split(text, ',')) {
    const Result<Range> range = parse_range(part);
    if (!range) return range.refusal();
    count += range->count();
    if (count > limits::array_tasks_max)
      return Refusal{quoted(cut_text(text, 64)) + " names more than " +
                         std::to_string(limits::array_tasks_max) + " tasks, the limit of an array",
                     "submit several arrays"};
    ranges.push_back(*range);
  }
  ArrayTasks tasks;
  tasks.ranges_ = std::move(ranges);
  // Ranges that ascend without overlap are used as they are. Rows of the queue have such ranges,
  // and are parsed at each change, so listing their tasks would be slow.
  const auto behind = [](const Range& a, const Range& b) { return b.first <= a.last; };
  if (std::ranges::adjacent_find(tasks.ranges_, behind) == tasks.ranges_.end()) return tasks;
  return ArrayTasks(tasks.all());
}

Result<ArrayWish> parse_array(std::string_view text) {
  if (text.size() > limits::wish_bytes_max)
    return Refusal{"--array has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(limits::wish_bytes_max),
                   "name the tasks by ranges"};
  const std::size_t percent = text.find('%');
  const Result<ArrayTasks> tasks = parse_array_tasks(text.substr(0, percent));
  if (!tasks) return tasks.refusal();
  // Brings the tasks into the normal form (folded()). A single range of consecutive numbers has it
  // already, so its tasks need not be listed.
  const bool is_folded = tasks->ranges().size() == 1 && tasks->ranges().front().step == 1;
  ArrayWish wish{is_folded ? *tasks : ArrayTasks(tasks->all()), 0};
  if (percent == std::string_view::npos) return wish;
  const auto limit = parse_count(text.substr(percent + 1), 1, limits::array_tasks_max);
  if (!limit)
    return Refusal{"how many tasks may run at once: " + limit.refusal().fact,
                   std::string(array_hint)};
  wish.limit = *limit;
  return wish;
}

std::string format_array_tasks(const ArrayTasks& tasks) {
  std::string text;
  for (const Range& range : tasks.ranges()) text += (text.empty() ? "" : ",") + text_of(range);
  return text;
}

std::string format_array(const ArrayWish& wish) {
  return format_array_tasks(wish.tasks) +
         (wish.limit > 0 ? "%" + std::to_string(wish.limit) : std::string());
}

std::int64_t tasks_asked(std::string_view array) {
  if (array.empty()) return 1;
  const auto wish = parse_array(array);
  return wish ? tasks_asked(*wish) : 1;
}

std::int64_t tasks_asked(const ArrayWish& array) {
  return array.tasks.empty() ? 1 : array.tasks.count();
}

}  // namespace cox
