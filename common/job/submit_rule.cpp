#include "common/job/submit_rule.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Fields whose text is a list with commas. A condition compares each word of the list.
constexpr auto fields_by_commas =
    std::to_array<std::string_view>({"partition", "reservation", "mail_type"});

struct ComparisonSign {
  std::string_view sign;
  SubmitComparison comparison = SubmitComparison::Equal;
};
// Longer signs come first, because the first match counts.
constexpr auto comparison_signs = std::to_array<ComparisonSign>({
    {"!=", SubmitComparison::NotEqual},
    {"<=", SubmitComparison::LessOrEqual},
    {">=", SubmitComparison::GreaterOrEqual},
    {"=", SubmitComparison::Equal},
    {"<", SubmitComparison::Less},
    {">", SubmitComparison::Greater},
});

bool has_alternatives(SubmitComparison comparison) {
  return comparison == SubmitComparison::Equal || comparison == SubmitComparison::NotEqual;
}

// Returns whether the pattern matches the whole text. "*" matches any characters.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Returns the words that a condition compares with its values: each element of a list, or the whole
// text.
std::vector<std::string> words_of(const SubmitField& field, const SubmitValue& value) {
  std::vector<std::string> words;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    words = *list;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (std::ranges::find(fields_by_commas, field.name) == fields_by_commas.end()) return {*text};
    for (const std::string_view word : split(*text, ',')) words.emplace_back(word);
  } else {
    return {submit_value_text(value)};
  }
  if (words.empty()) words.emplace_back();
  return words;
}

bool equals_any(const JobSpec& spec, const SubmitCondition& condition) {
  const SubmitField& field = *condition.field;
  for (const std::string& word : words_of(field, submit_value(spec, field)))
    for (const std::string& value : condition.values)
      if (matches_pattern(value, word)) return true;
  return false;
}

bool is_within(const JobSpec& spec, const SubmitCondition& condition) {
  const std::int64_t number = std::get<std::int64_t>(submit_value(spec, *condition.field));
  switch (condition.comparison) {
    case SubmitComparison::Less: return number < condition.bound;
    case SubmitComparison::LessOrEqual: return number <= condition.bound;
    case SubmitComparison::Greater: return number > condition.bound;
    case SubmitComparison::GreaterOrEqual: return number >= condition.bound;
    default: return false;
  }
}

// Parses the values after "=" or "!=", which "|" separates, and writes them as submit_value_text()
// writes the field's value.
Failure take_alternatives(SubmitCondition& condition, std::string_view values) {
  const SubmitField& field = *condition.field;
  for (const std::string_view each : split(values, '|')) {
    std::string value(each);
    if (field.kind == SubmitFieldKind::Number || field.kind == SubmitFieldKind::Flag) {
      const auto parsed = parse_submit_value(field, value);
      if (!parsed) return parsed.refusal();
      value = submit_value_text(*parsed);
    }
    condition.values.push_back(std::move(value));
  }
  return std::nullopt;
}

Failure take_values(SubmitCondition& condition, std::string_view values) {
  if (has_alternatives(condition.comparison)) return take_alternatives(condition, values);
  const SubmitField& field = *condition.field;
  if (field.kind != SubmitFieldKind::Number)
    return Refusal{std::string(field.name) + " is not a number; <, <=, > and >= need a number", ""};
  const auto bound = parse_submit_value(field, std::string(values));
  if (!bound) return bound.refusal();
  condition.bound = std::get<std::int64_t>(*bound);
  return std::nullopt;
}

Failure not_as_required(const SubmitRule& rule, const SubmitCondition& condition) {
  if (!rule.refuse.empty()) return Refusal{rule.refuse, ""};
  return Refusal{"submit_rule " + rule.name + " of this cluster requires " + condition.text,
                 "change the submission, or ask the administrator of this cluster"};
}

void add_line(std::vector<std::string>* lines, const SubmitRule& rule, const std::string& what) {
  if (lines != nullptr) lines->push_back("submit_rule " + rule.name + ": " + what);
}

// Applies one rule to a job, or to one component of a heterogeneous job.
Failure apply_rule(const SubmitRule& rule, JobSpec& spec, std::vector<std::string>* lines) {
  const auto holds = [&](const SubmitCondition& one) { return fulfils(spec, one); };
  const auto failed = std::ranges::find_if_not(rule.match, holds);
  if (failed != rule.match.end()) {
    add_line(lines, rule, "does not apply: " + failed->text + " does not hold");
    return std::nullopt;
  }
  const auto missing = std::ranges::find_if_not(rule.require, holds);
  if (missing != rule.require.end()) {
    add_line(lines, rule, "refuses the job: " + missing->text + " does not hold");
    return not_as_required(rule, *missing);
  }
  if (rule.require.empty() && !rule.refuse.empty()) {
    add_line(lines, rule, "refuses the job");
    return Refusal{rule.refuse, ""};
  }
  const JobSpec before = lines == nullptr ? JobSpec{} : spec;
  for (const SubmitSetting& setting : rule.set)
    if (auto f = set_submit_value(spec, *setting.field, setting.value)) return f;
  if (lines == nullptr) return std::nullopt;
  const std::string changes = joined(submit_changes(before, spec), "; ");
  add_line(lines, rule, changes.empty() ? "changes nothing" : "sets " + changes);
  return std::nullopt;
}

}  // namespace

Result<SubmitCondition> parse_submit_condition(const std::string& text) {
  SubmitCondition condition;
  condition.text = text;
  if (text.size() > limits::submit_condition_bytes_max)
    return Refusal{"a condition has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(limits::submit_condition_bytes_max),
                   "split it into several rules"};
  const bool is_negated = text.starts_with('!');
  const std::size_t end = text.find_first_of("!=<>", is_negated ? 1 : 0);
  const std::string name = text.substr(is_negated ? 1 : 0, end - (is_negated ? 1 : 0));
  condition.field = submit_field(name);
  if (condition.field == nullptr) return unknown_submit_field(name);
  if (is_negated) condition.comparison = SubmitComparison::NotRequested;
  if (end == std::string::npos) return condition;
  const std::string_view rest = std::string_view(text).substr(end);
  const auto sign = std::ranges::find_if(
      comparison_signs, [&](const ComparisonSign& one) { return rest.starts_with(one.sign); });
  if (is_negated || sign == comparison_signs.end())
    return Refusal{quoted(text) + " is not a valid condition",
                   "write FIELD, !FIELD, or FIELD with =, !=, <, <=, > or >= and a value"};
  condition.comparison = sign->comparison;
  if (auto f = take_values(condition, rest.substr(sign->sign.size()))) return *f;
  return condition;
}

Result<SubmitSetting> parse_submit_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (text.size() > limits::submit_condition_bytes_max)
    return Refusal{"a setting has " + std::to_string(text.size()) + " bytes; the limit is " +
                       std::to_string(limits::submit_condition_bytes_max),
                   "set a shorter value"};
  if (equals == std::string::npos)
    return Refusal{quoted(text) + " in `set` has no \"=\"",
                   "write FIELD=VALUE, for example set = [\"qos=long\"]"};
  const std::string name = text.substr(0, equals);
  const SubmitField* field = submit_field(name);
  if (field == nullptr) return unknown_submit_field(name);
  auto value = parse_submit_value(*field, text.substr(equals + 1));
  if (!value) return value.refusal();
  JobSpec trial;  // a job that is used only to refuse invalid settings
  if (auto f = set_submit_value(trial, *field, *value)) return *f;
  return SubmitSetting{field, std::move(*value)};
}

bool fulfils(const JobSpec& spec, const SubmitCondition& condition) {
  switch (condition.comparison) {
    case SubmitComparison::Requested: return is_requested(submit_value(spec, *condition.field));
    case SubmitComparison::NotRequested: return !is_requested(submit_value(spec, *condition.field));
    case SubmitComparison::Equal: return equals_any(spec, condition);
    case SubmitComparison::NotEqual: return !equals_any(spec, condition);
    default: return is_within(spec, condition);
  }
}

Failure apply_submit_rules(const std::vector<SubmitRule>& rules, JobSpec& spec,
                           std::vector<std::string>* lines) {
  std::vector<JobSize> behind = std::exchange(spec.components, {});
  Failure failure;
  for (const SubmitRule& rule : rules) {
    failure = apply_rule(rule, spec, lines);
    for (JobSize& component : behind) {
      if (failure) break;
      // The component's size takes the place of the first one; all other fields are those of the
      // whole job.
      std::swap(static_cast<JobSize&>(spec), component);
      failure = apply_rule(rule, spec, lines);
      std::swap(static_cast<JobSize&>(spec), component);
    }
    if (failure) break;
  }
  spec.components = std::move(behind);
  return failure;
}

std::vector<std::string> submit_changes(const JobSpec& before, const JobSpec& after) {
  std::vector<std::string> changes;
  for (const SubmitField& field : submit_fields()) {
    const SubmitValue old_value = submit_value(before, field);
    const SubmitValue new_value = submit_value(after, field);
    if (old_value != new_value)
      changes.push_back(std::string(field.name) + ": " + submit_value_text(old_value) + " -> " +
                        submit_value_text(new_value));
  }
  return changes;
}

}  // namespace cox
