// --array: the tasks of a job array, as a set of numbers, in Slurm's forms. Pure.
//
//   0-15          0 to 15            1,3,5-7       a list
//   0-15:4        0, 4, 8, 12        0-999%50      at most 50 of them at once
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

class ArrayTasks {
 public:
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;  // in the range
    std::int64_t step = 1;
    std::int64_t count() const { return (last - first) / step + 1; }
    bool contains(std::int64_t task) const {
      return task >= first && task <= last && (task - first) % step == 0;
    }
    bool operator==(const Range&) const = default;
  };

  ArrayTasks() = default;
  // In any order, and more than once too.
  explicit ArrayTasks(std::vector<std::int64_t> tasks);

  bool empty() const { return ranges_.empty(); }
  std::int64_t count() const;
  std::int64_t first() const { return ranges_.front().first; }  // REQUIRES: not empty
  std::int64_t last() const { return ranges_.back().last; }     // REQUIRES: not empty
  bool contains(std::int64_t task) const;
  // Of the whole set, if one tells it; 1 of a list.
  std::int64_t step() const { return ranges_.size() == 1 ? ranges_.front().step : 1; }
  std::vector<std::int64_t> all() const;
  const std::vector<Range>& ranges() const { return ranges_; }

  void remove(std::int64_t task);  // if it is there
  ArrayTasks without(const ArrayTasks& others) const;
  ArrayTasks common_with(const ArrayTasks& others) const;

  bool operator==(const ArrayTasks& other) const { return all() == other.all(); }

 private:
  friend Result<ArrayTasks> parse_array_tasks(std::string_view text);
  std::vector<Range> ranges_;  // each behind the one before
};

struct ArrayWish {
  ArrayTasks tasks;
  std::int64_t limit = 0;  // so many may run at once; 0: any number
  bool operator==(const ArrayWish&) const = default;
};

// Refused: what is no such list, more than array_tasks_max, a number above array_task_id_max.
Result<ArrayTasks> parse_array_tasks(std::string_view text);
Result<ArrayWish> parse_array(std::string_view text);

// In the forms that these read.
std::string format_array_tasks(const ArrayTasks& tasks);
std::string format_array(const ArrayWish& wish);

// So many jobs a submission makes in the end; 1 of what is no array, or no good one.
std::int64_t tasks_asked(std::string_view array);

}  // namespace cox
