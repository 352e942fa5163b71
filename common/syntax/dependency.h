// The option --dependency: which jobs a job waits for, and what must have happened to them, in
// Slurm's forms. Pure.
//
//   afterok:12:13,afterany:14      all of these
//   afterok:12?afternotok:13       any of these
//   after:12+5                     five minutes after it has begun
//   afterok:12_3                   one task of array 12; 12 alone means all of its tasks
//   afterok:12_[1,3-5]             several tasks of array 12; 12_* means all of them
//   12,13                          afterany:12,afterany:13
//   aftercorr:12                   each task waits for the task of array 12 with its number
//   singleton                      no earlier job of the same name and user is unfinished
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

enum class DependencyKind : std::uint8_t {
  After,       // the other job has begun, or has ended without beginning
  AfterAny,    // the other job has ended in any state
  AfterOk,     // the other job is COMPLETED
  AfterNotOk,  // the other job has ended in a state other than COMPLETED
  Singleton,   // all earlier jobs of the same name and user have ended
  AfterCorr,   // the task of the other array that has the same number is COMPLETED
};
std::string_view name(DependencyKind kind);  // "afterok"

struct Dependency {
  DependencyKind kind = DependencyKind::AfterAny;
  JobId on{};                // the other job, or its array; 0 for Singleton
  std::int64_t delay_s = 0;  // for After: how long after the other job has begun
  bool never = false;        // whether it can never be met any more
  std::int64_t task = -1;    // task of the array `on`; -1: all tasks, or `on` is no array

  COX_FIELDS(kind, on, delay_s, never, task);
  bool operator==(const Dependency&) const = default;
};

struct DependencyWish {
  std::vector<Dependency> terms;  // at least one
  bool any = false;  // true ("?"): one met term is enough; false (","): all must be met
};

// Parses a list of dependencies. Refuses an invalid list, more than dependencies_per_job_max terms,
// and "," together with "?".
Result<DependencyWish> parse_dependency(std::string_view text);

// Writes the form that parse_dependency() reads. Each term gets its own type:
// "afterok:12,afterok:13".
std::string format_dependency(const DependencyWish& wish);

}  // namespace cox
