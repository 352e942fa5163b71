// Rules of the site for submissions, declared as [[submit_rule]] in coxswain.toml. They replace
// simple job_submit plugins of Slurm. A rule applies to submissions that fulfil all conditions of
// `match`. With `require`, it refuses those that miss a condition of `require`; with only `refuse`,
// it refuses all of them. Otherwise it sets the fields that `set` names. Rules are applied in the
// order of the file, and each rule sees the changes of the rules before it.
//
// A condition is written FIELD (it is asked for), !FIELD (it is not), FIELD=VALUE, FIELD!=VALUE,
// FIELD<VALUE, FIELD<=VALUE, FIELD>VALUE or FIELD>=VALUE, with the names of submit_fields.h. After
// = and !=, "|" separates several values; in texts, "*" matches any characters. A list equals a
// value if any of its words does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/job/job.h"
#include "common/job/submit_fields.h"

namespace cox {

enum class SubmitComparison : std::uint8_t {
  Asked,
  NotAsked,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
};

struct SubmitCondition {
  const SubmitField* field = nullptr;
  SubmitComparison comparison = SubmitComparison::Asked;
  std::vector<std::string> values = {};  // for Equal and NotEqual: any of these
  std::int64_t bound = 0;                // for comparisons of numbers
  std::string text = {};                 // as written
};

struct SubmitSetting {
  const SubmitField* field = nullptr;
  SubmitValue value = {};
};

struct SubmitRule {
  std::string name;
  std::vector<SubmitCondition> match = {};    // all must hold; none: every submission
  std::vector<SubmitCondition> require = {};  // all must hold; otherwise it is refused
  std::vector<SubmitSetting> set = {};
  std::string refuse = {};  // text of the refusal
};

Result<SubmitCondition> parse_submit_condition(const std::string& text);
Result<SubmitSetting> parse_submit_setting(const std::string& text);

bool fulfils(const JobSpec& spec, const SubmitCondition& condition);

// Applies the rules to the submission. Each component of a heterogeneous job is checked as a
// separate job. Unless `lines` is null, it receives a text about the effect of each rule.
Failure apply_submit_rules(const std::vector<SubmitRule>& rules, JobSpec& spec,
                           std::vector<std::string>* lines);

// Returns the differences between the two, one entry for each field: "qos: (none) -> long".
std::vector<std::string> submit_changes(const JobSpec& before, const JobSpec& after);

}  // namespace cox
