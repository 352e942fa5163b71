// How many pending jobs of a plan are explained, and the names that the explanations use. No
// decision depends on it. Explaining why a job waits costs more than deciding that it waits, so a
// caller asks only for explanations that are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job.h"
#include "schedule/model/limit.h"

namespace cox::schedule {

// The names under which users know a job.
struct JobTitle {
  std::string user;     // user name of the job's owner; empty: unknown
  std::string id = {};  // "17_4" for an array task; empty: the job id
  bool operator==(const JobTitle&) const = default;
};
using TitleOf = std::function<JobTitle(JobId)>;

// The name of a limit, and Slurm's code for jobs that wait for it.
struct LimitName {
  WaitReason reason = WaitReason::Resources;
  std::string text;             // for example "account physics: GrpTRES gres/gpu"
  std::string owner{};          // "account physics"
  std::optional<Wall> turns{};  // next time at which the hours of the week may change the limit
};
using LimitOf = std::function<LimitName(const Limit&)>;

// The number of jobs that are explained, from the front of the queue, at four depths: the reason
// alone, one line, all lines, and all lines with the smallest changes that would let the job start
// now. The pass does not decide about jobs behind those, so a plan with few explanations must not
// be carried out.
struct ExplainDepth {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  bool enabled = true;        // false: nothing is explained, and the pass decides about all jobs
  std::size_t jobs = all;     // number of jobs, from the front of the queue, that get one line
  std::optional<JobId> also;  // this job gets all lines and changes, at any queue position
  std::size_t jobs_in_full = all;
  std::size_t jobs_with_changes = all;
  std::size_t jobs_with_reason = all;
  TitleOf title_of = {};
  LimitOf limit_of = {};

  static ExplainDepth everything() { return {}; }
  // With this depth, Plan::waiting stays empty.
  static ExplainDepth nothing() { return {false, 0, {}, 0, 0, 0, {}, {}}; }
  static ExplainDepth first(std::size_t jobs, std::optional<JobId> also, TitleOf title_of = {}) {
    constexpr std::size_t jobs_in_full_max = 8;
    return {true,
            jobs,
            also,
            std::min(jobs, jobs_in_full_max),
            std::min<std::size_t>(jobs, 1),
            jobs > all / 10 ? all : jobs * 10,
            std::move(title_of),
            {}};
  }
};

}  // namespace cox::schedule
