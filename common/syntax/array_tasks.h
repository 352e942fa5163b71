// The tasks of a job array as a set of numbers, in Slurm's forms of --array. Pure.
//
//   0-15          0 to 15            1,3,5-7       a list
//   0-15:4        0, 4, 8, 12        0-999%50      at most 50 of them at once
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/mostly_empty.h"
#include "common/base/result.h"

namespace cox {

class ArrayTasks {
 public:
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;  // included
    std::int64_t step = 1;
    std::int64_t count() const { return (last - first) / step + 1; }
    bool contains(std::int64_t task) const {
      return task >= first && task <= last && (task - first) % step == 0;
    }
    bool operator==(const Range&) const = default;
  };

  ArrayTasks() = default;
  // Takes task numbers in any order; a repeated number counts once.
  explicit ArrayTasks(std::vector<std::int64_t> tasks);

  bool empty() const { return ranges_.empty(); }
  std::int64_t count() const;
  std::int64_t first() const { return ranges_.front().first; }  // REQUIRES: not empty
  std::int64_t last() const { return ranges_.back().last; }     // REQUIRES: not empty
  bool contains(std::int64_t task) const;
  // Returns the distance of the tasks if they are one range (0-15:4); 1 if they are a list of
  // ranges.
  std::int64_t step() const { return ranges_.size() == 1 ? ranges_.front().step : 1; }
  std::vector<std::int64_t> all() const;
  const std::vector<Range>& ranges() const { return *ranges_; }

  void remove(std::int64_t task);  // removes a task; no effect if it is not in the set
  ArrayTasks without(const ArrayTasks& others) const;
  ArrayTasks common_with(const ArrayTasks& others) const;

  bool operator==(const ArrayTasks& other) const {
    return *ranges_ == *other.ranges_ || (count() == other.count() && all() == other.all());
  }

 private:
  friend Result<ArrayTasks> parse_array_tasks(std::string_view text);
  MostlyEmpty<std::vector<Range>> ranges_;  // ascending, without overlap; empty for most jobs
};

struct ArrayWish {
  ArrayTasks tasks;
  std::int64_t limit = 0;  // how many tasks may run at once; 0: any number
  bool operator==(const ArrayWish&) const = default;
};

// Parses the task numbers of an array. Refuses an invalid list, more than array_tasks_max tasks,
// and a number above array_task_id_max.
Result<ArrayTasks> parse_array_tasks(std::string_view text);
Result<ArrayWish> parse_array(std::string_view text);

// These write the forms that parse_array_tasks() and parse_array() read.
std::string format_array_tasks(const ArrayTasks& tasks);
std::string format_array(const ArrayWish& wish);

// Returns how many jobs a submission with this --array creates. Returns 1 if the text is empty or
// invalid.
std::int64_t tasks_asked(std::string_view array);
std::int64_t tasks_asked(const ArrayWish& array);

}  // namespace cox
