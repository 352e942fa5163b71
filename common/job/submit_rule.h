// Rules of the site for submissions, declared as [[submit_rule]] in coxswain.toml. They replace
// simple job_submit plugins of Slurm. A rule applies to submissions that fulfil all conditions of
// `match`. With `require`, it refuses those that miss a condition of `require`; with only `refuse`,
// it refuses all of them. Otherwise it sets the fields that `set` names. Rules are applied in the
// order of the file, and each rule sees the changes of the rules before it.
//
// A condition is one of FIELD (it was requested), !FIELD (it was not), FIELD=VALUE, FIELD!=VALUE,
// FIELD<VALUE, FIELD<=VALUE, FIELD>VALUE and FIELD>=VALUE, with the names of submit_fields.h. After
// the signs = and != there may be several values, separated by "|"; in texts, "*" matches any
// characters. A list equals a value if any of its words does. Pure.
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
  Requested,
  NotRequested,
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
};

struct SubmitCondition {
  const SubmitField* field = nullptr;
  SubmitComparison comparison = SubmitComparison::Requested;
  std::vector<std::string> values = {};  // for Equal and NotEqual: the values after the sign
  std::int64_t bound = 0;                // for Less and the like: the number after the sign
  std::string text = {};                 // as written
};

struct SubmitSetting {
  const SubmitField* field = nullptr;
  SubmitValue value = {};
};

struct SubmitRule {
  std::string name;
  // The rule applies if all hold; empty: to every submission.
  std::vector<SubmitCondition> match = {};
  // If one does not hold, the rule refuses the submission.
  std::vector<SubmitCondition> require = {};
  std::vector<SubmitSetting> set = {};
  std::string refuse = {};  // text of the rule's refusal; empty: a usual one
};

Result<SubmitCondition> parse_submit_condition(const std::string& text);
Result<SubmitSetting> parse_submit_setting(const std::string& text);

bool fulfils(const JobSpec& spec, const SubmitCondition& condition);

// Applies the rules to the submission, to each component of a heterogeneous job separately. Returns
// the refusal of a rule, if any. Unless `lines` is null, a text about each rule's effect is
// appended to it.
Failure apply_submit_rules(const std::vector<SubmitRule>& rules, JobSpec& spec,
                           std::vector<std::string>* lines);

// Returns the fields in which the specifications differ, one entry for each: "qos: (none) -> long".
std::vector<std::string> submit_changes(const JobSpec& before, const JobSpec& after);

}  // namespace cox
