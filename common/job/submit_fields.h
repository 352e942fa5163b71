// The fields of a submission that the site's rules and programs may read and change. They have the
// names of JobSpec's members. Only texts, numbers, flags, lists and moments are among them: a
// signal, the components of a heterogeneous job and a checkpoint to resume from are not.
//
// Used by common/job/submit_rule.h, and by the controller for the input of submit_program. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

enum class SubmitFieldKind : std::uint8_t { Text, Number, Flag, List, Moment };

struct SubmitField {
  std::string_view name;
  SubmitFieldKind kind = SubmitFieldKind::Text;
  bool can_change = true;  // false: it is proven by the connection, or follows from other fields
};

// The value of a field. A moment is a text such as "2026-12-24T18:00:00Z", or empty.
using SubmitValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

std::span<const SubmitField> submit_fields();
// Returns the field with this name; null if there is none.
const SubmitField* submit_field(std::string_view name);
// Returns the refusal of an unknown field name, with the most similar known name.
Refusal unknown_submit_field(std::string_view name);

SubmitValue submit_value(const JobSpec& spec, const SubmitField& field);
// Formats a value for people: a list with commas, and "(none)" for a field that was not asked for.
std::string submit_value_text(const SubmitValue& value);
// Returns whether the user requested the field: its value is not empty, 0 or false.
bool is_requested(const SubmitValue& value);

// Parses a value: a number in digits (a field in seconds also accepts a time limit such as
// "1-00:00:00"), "true" or "false", or a list separated by commas.
Result<SubmitValue> parse_submit_value(const SubmitField& field, const std::string& text);
// Sets the field as if the user had requested the value. Refuses a field that cannot be changed,
// and a value of another type. Admission checks the changed job later.
Failure set_submit_value(JobSpec& spec, const SubmitField& field, const SubmitValue& value);

}  // namespace cox
