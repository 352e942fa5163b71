// The columns of the table cox.job that hold a JobSpec. column_name() returns the column of a
// field: it has the field's name, unless SQL uses that word otherwise. Used with each_field().
#pragma once

#include <string_view>

namespace cox {

constexpr std::string_view column_name(std::string_view field) {
  if (field == "constraint") return "required_feature";
  if (field == "prefer") return "preferred_feature";
  if (field == "begin") return "begin_at";
  if (field == "deadline") return "deadline_at";
  if (field == "array") return "array_asked";
  return field;
}

}  // namespace cox
