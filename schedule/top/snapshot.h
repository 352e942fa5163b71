// All that an engine decides by, as a value: to be saved from a live controller as JSON and decided
// again elsewhere by the same code. What comes back is what went in, so the plan is the same.
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
  std::map<UsualRequest, double> usual;  // as placements go by it
  std::vector<Lifetimes::Ended> ended;   // as the order gittins goes by it
  std::vector<std::int64_t> charged;     // against limits, by their numbers: what was used before
  // How people know the jobs: decides nothing, and lets the same be told.
  std::map<JobId, JobTitle> titles;
};

// What a pass over the engine would decide by at this time.
Input input_of(Engine& engine, Now now, const TitleOf& title_of = {});

// For ExplainDepth. The input outlives it.
TitleOf titles_in(const Input& input);

// Of the format `snapshot_version`. Jobs that ask for the same have it in common.
std::string text_of(const Input& input);
Result<Input> input_from(std::string_view text);

inline constexpr int snapshot_version = 1;

// REQUIRES: as input_of or input_from gave it.
std::unique_ptr<Scheduler> scheduler_from(const Input& input);

}  // namespace cox::schedule
