// Rules of the site for submissions, as [[submit_rule]] of coxswain.toml declares them: Slurm's
// job_submit plugins, without a program. A rule is for the submissions that fulfil all conditions
// of `match`. It refuses those that do not fulfil each condition of `require`, or, if it requires
// nothing, all of them; else it changes the fields that `set` names. Rules are applied in the
// file's order, and each sees what those before it have changed.
//
// A condition is written FIELD (it is asked for), !FIELD (it is not), FIELD=VALUE, FIELD!=VALUE,
// FIELD<VALUE, FIELD<=VALUE, FIELD>VALUE or FIELD>=VALUE, with the names of submit_fields.h. Behind
// = and != several values may stand, separated by |; in texts * stands for any characters. A list
// equals a value if any of its words does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/job.h"
#include "common/result.h"
#include "common/submit_fields.h"

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
  std::vector<std::string> values = {};  // Equal, NotEqual: any of these
  std::int64_t bound = 0;                // of the comparisons of numbers
  std::string text = {};                 // as it was written
};

struct SubmitSetting {
  const SubmitField* field = nullptr;
  SubmitValue value = {};
};

struct SubmitRule {
  std::string name;
  std::vector<SubmitCondition> match = {};    // all of these; none: every submission
  std::vector<SubmitCondition> require = {};  // each of these, or it is refused
  std::vector<SubmitSetting> set = {};
  std::string refuse = {};  // the text of its refusal
};

Result<SubmitCondition> parse_submit_condition(const std::string& text);
Result<SubmitSetting> parse_submit_setting(const std::string& text);

bool fulfils(const JobSpec& spec, const SubmitCondition& condition);

// Applies the rules to the submission. Each component of a heterogeneous job is judged as a job of
// its own. `lines`, unless null: what each rule does, for people.
Failure apply_submit_rules(const std::vector<SubmitRule>& rules, JobSpec& spec,
                           std::vector<std::string>* lines);

// What has changed from one to the other: "qos: (none) -> long", one entry a field.
std::vector<std::string> submit_changes(const JobSpec& before, const JobSpec& after);

}  // namespace cox
