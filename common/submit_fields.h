// The fields of a submission that rules and programs of the site may see and change, by the names
// of job_spec_names.h. What is no text, number, flag, list or moment (a signal, the components of a
// heterogeneous job, a checkpoint to resume from) is not among them.
//
// For common/submit_rule.h and the controller, which tells submit_program of a submission. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/job.h"
#include "common/result.h"

namespace cox {

enum class SubmitFieldKind : std::uint8_t { Text, Number, Flag, List, Moment };

struct SubmitField {
  std::string_view name;
  SubmitFieldKind kind = SubmitFieldKind::Text;
  bool can_change = true;  // false: it is proven, or follows from others
};

// A moment is text: "2026-12-24T18:00:00Z", or empty.
using SubmitValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

std::span<const SubmitField> submit_fields();
// Returns null if there is none of this name.
const SubmitField* submit_field(std::string_view name);
// A refusal of a name that is none: the fact, and the nearest.
Refusal unknown_submit_field(std::string_view name);

SubmitValue submit_value(const JobSpec& spec, const SubmitField& field);
// For people; a list by commas; "(none)" for what was not asked.
std::string submit_value_text(const SubmitValue& value);
// Returns whether it was asked for: not empty, not 0, not false.
bool is_asked(const SubmitValue& value);

// Returns the value that the text stands for: a number in digits (a field in seconds also takes a
// time limit such as "1-00:00:00"), "true" or "false", a list by commas.
Result<SubmitValue> parse_submit_value(const SubmitField& field, const std::string& text);
// As if it had been asked for so at first. Refused: a field that cannot change, or a value of
// another kind. Whether the job can be accepted so is judged by admission.
Failure set_submit_value(JobSpec& spec, const SubmitField& field, const SubmitValue& value);

}  // namespace cox
