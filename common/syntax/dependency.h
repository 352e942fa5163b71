// --dependency: the jobs that one waits for, and what must have become of them. Slurm's forms.
// Pure.
//
//   afterok:12:13,afterany:14      all of these
//   afterok:12?afternotok:13       any of these
//   after:12+5                     five minutes after it has begun
//   afterok:12_3                   a task of the array 12; of 12 alone: all of its tasks
//   aftercorr:12                   each task of an array for the same one of the array 12
//   singleton                      no earlier job of the same name and user is left
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

enum class DependencyKind : std::uint8_t {
  After,       // it has begun, or has ended without
  AfterAny,    // it has ended, however
  AfterOk,     // it is COMPLETED
  AfterNotOk,  // it has ended otherwise
  Singleton,   // of all earlier ones of the same name and user: they have ended
  AfterCorr,   // the same task of another array is COMPLETED
};
std::string_view name(DependencyKind kind);  // "afterok"

struct Dependency {
  DependencyKind kind = DependencyKind::AfterAny;
  JobId on{};                // Singleton: none; of an array its id
  std::int64_t delay_s = 0;  // After: so long after
  bool never = false;        // it has become of the job what it must not
  std::int64_t task = -1;    // of the array; -1: all of them, or the job is none

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.kind, self.on, self.delay_s, self.never, self.task);
  }
  bool operator==(const Dependency&) const = default;
};

struct DependencyWish {
  std::vector<Dependency> terms;  // at least one
  bool any = false;               // of several one will do
};

// Refused: what is no such list, more than dependencies_per_job_max, "," and "?" in one.
Result<DependencyWish> parse_dependency(std::string_view text);

// In the form that parse_dependency reads, each term for itself.
std::string format_dependency(const DependencyWish& wish);

}  // namespace cox
