// The whole input of an engine as a value. `cox snapshot` saves it from a live controller as JSON;
// the same code makes the same decision from it elsewhere.
//
//   Engine ─ input_of ─▶ Input ─ text_of ─▶ JSON ─ input_from ─▶ Input ─ scheduler_from ─▶
//   Scheduler
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "schedule/model/demand_profile.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/plan.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/top/scheduler.h"

namespace cox::schedule {

struct Input {
  Now now;
  Settings settings;
  SchedulerInput world;
  std::vector<Claimed> claims;
  std::map<UsualRequest, double> usual;   // counts of earlier requests, for the placement fgd
  std::vector<Lifetimes::Ended> ended;    // run times of earlier jobs, for the order gittins
  std::vector<LongestWaits::Kept> waits;  // of earlier jobs
  std::vector<std::int64_t> charged;      // earlier usage of each limit, by limit number
  // Names of the jobs. They decide nothing, but explanations use them.
  std::map<JobId, JobTitle> titles;
};

// Returns everything by which a pass over the engine would decide at this time.
Input input_of(Engine& engine, Now now, const TitleOf& title_of = {});

// Returns the titles for ExplainDepth. REQUIRES: `input` outlives them.
TitleOf titles_in(const Input& input);

// Returns the snapshot as JSON, in the format `snapshot_version`. Equal requests are written once.
std::string text_of(const Input& input);
// Parses a snapshot. Refused if it is no valid JSON, or if a value would make a pass fail.
Result<Input> input_from(std::string_view text);

inline constexpr int snapshot_version = 1;

// Returns a scheduler with this input. REQUIRES: the input comes from input_of() or input_from().
std::unique_ptr<Scheduler> scheduler_from(const Input& input);

}  // namespace cox::schedule
