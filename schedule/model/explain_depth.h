// How much of a plan is explained, and the names that the explanations use. No decision depends on
// it. Explaining why jobs wait costs more than deciding that they do, so a caller asks for no more
// than somebody will read.
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

// The names that people know a job by.
struct JobTitle {
  std::string user;     // its owner; empty: not known
  std::string id = {};  // "17_4" for a task of an array; empty: its number
  bool operator==(const JobTitle&) const = default;
};
using TitleOf = std::function<JobTitle(JobId)>;

// The name of a limit, and Slurm's code for jobs that wait for it.
struct LimitName {
  WaitReason reason = WaitReason::Resources;
  std::string text;             // "account physics: GrpTRES gres/gpu"
  std::string owner{};          // "account physics"
  std::optional<Wall> turns{};  // when the hours of the week may change the limit next
};
using LimitOf = std::function<LimitName(const Limit&)>;

// The number of jobs that are explained, at four depths: with the reason alone, with one line, with
// all lines, and with the changes that would let the job start now, which are tried out. Jobs
// behind those are not even judged, so a plan with few explanations must not be carried out.
struct ExplainDepth {
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  bool asked = true;          // false: nothing is explained, and all jobs are judged
  std::size_t jobs = all;     // explained with one line
  std::optional<JobId> also;  // this job is explained in full, wherever it is in the queue
  std::size_t jobs_in_full = all;
  std::size_t jobs_with_changes = all;
  std::size_t jobs_with_reason = all;
  TitleOf title_of = {};
  LimitOf limit_of = {};

  static ExplainDepth everything() { return {}; }
  static ExplainDepth nothing() {
    return {false, 0, {}, 0, 0, 0, {}, {}};
  }  // Plan::waiting stays empty
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
