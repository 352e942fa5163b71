#include "common/job/submit_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/base/count_format.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

// Fields that neither rules nor programs may change. The connection proves the user; the form and
// the command are the submission itself; all others follow from other fields, or the controller
// sets them.
constexpr auto fixed_fields = std::to_array<std::string_view>(
    {"form", "command", "script_hash", "environment_hash", "user_name", "uid", "gid", "submit_host",
     "command_path", "stored_options", "tasks_asked", "cpus_per_task_asked"});

template <class T>
inline constexpr bool is_flag = std::is_same_v<T, bool> || std::is_same_v<T, std::optional<bool>>;
template <class T>
inline constexpr bool is_word = std::is_same_v<T, JobForm> || std::is_same_v<T, CheckpointBy>;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_list = std::is_same_v<T, std::vector<std::string>>;

template <class T>
constexpr std::optional<SubmitFieldKind> kind_of() {
  if constexpr (std::is_same_v<T, std::string> || is_word<T>) return SubmitFieldKind::Text;
  if constexpr (is_flag<T>) return SubmitFieldKind::Flag;
  if constexpr (is_integer<T>) return SubmitFieldKind::Number;
  if constexpr (is_list<T>) return SubmitFieldKind::List;
  if constexpr (std::is_same_v<T, Wall>) return SubmitFieldKind::Moment;
  return std::nullopt;
}

std::vector<SubmitField> all_fields() {
  std::vector<SubmitField> all;
  const JobSpec none;
  each_field(none, [&](std::string_view name, const auto& field) {
    constexpr auto kind = kind_of<std::remove_cvref_t<decltype(field)>>();
    if constexpr (kind.has_value())
      all.push_back({name, *kind, std::ranges::find(fixed_fields, name) == fixed_fields.end()});
  });
  return all;
}

template <class T>
SubmitValue value_of(const T& field) {
  if constexpr (std::is_same_v<T, Wall>)
    return field == Wall{} ? std::string() : moment_text(field);
  else if constexpr (std::is_same_v<T, std::optional<bool>>)
    return field.value_or(false);
  else if constexpr (is_word<T>)
    return std::string(name(field));
  else if constexpr (is_integer<T>)
    return static_cast<std::int64_t>(field);
  else if constexpr (kind_of<T>().has_value())
    return field;
  else
    return std::string();
}

Refusal wrong_value(const SubmitField& field, std::string_view wanted) {
  return {std::string(field.name) + " must be " + std::string(wanted), ""};
}

Failure set_word(CheckpointBy& field, const SubmitField& about, const std::string& word) {
  for (const CheckpointBy by : {CheckpointBy::AllRanks, CheckpointBy::Rank0})
    if (word == name(by)) {
      field = by;
      return std::nullopt;
    }
  return wrong_value(about, "\"all_ranks\" or \"rank0\"");
}

// Sets the field to the value. REQUIRES: the value has the type that belongs to the field's kind.
template <class T>
Failure set_field(T& field, const SubmitField& about, const SubmitValue& value) {
  if constexpr (std::is_same_v<T, CheckpointBy>) {
    return set_word(field, about, std::get<std::string>(value));
  } else if constexpr (std::is_same_v<T, Wall>) {
    const auto& text = std::get<std::string>(value);
    const auto moment = parse_moment(text);
    if (!text.empty() && !moment)
      return wrong_value(about, "a moment such as \"2026-12-24T18:00:00Z\", or empty");
    field = text.empty() ? Wall{} : *moment;
  } else if constexpr (is_integer<T>) {
    const std::int64_t number = std::get<std::int64_t>(value);
    if (!std::in_range<T>(number)) return wrong_value(about, "a smaller number");
    field = static_cast<T>(number);
  } else if constexpr (is_flag<T>) {
    field = std::get<bool>(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    field = std::get<std::string>(value);
  } else if constexpr (is_list<T>) {
    field = std::get<std::vector<std::string>>(value);
  }
  return std::nullopt;
}

// Adapts the fields that depend on the changed field `name`, as sbatch would have sent them.
void resolve_beside(JobSpec& spec, std::string_view name) {
  if (name == "nodes") spec.node_sizes.clear();
  if (name == "tasks") spec.tasks_asked = spec.tasks > 0;
  if (name == "cpus_per_task") spec.cpus_per_task_asked = true;
  if (name == "gpus_per_node") forget_gpus_per_node(spec.stored_options);
}

bool is_of_kind(const SubmitValue& value, SubmitFieldKind kind) {
  switch (kind) {
    case SubmitFieldKind::Text:
    case SubmitFieldKind::Moment: return std::holds_alternative<std::string>(value);
    case SubmitFieldKind::Number: return std::holds_alternative<std::int64_t>(value);
    case SubmitFieldKind::Flag: return std::holds_alternative<bool>(value);
    case SubmitFieldKind::List: return std::holds_alternative<std::vector<std::string>>(value);
  }
  return false;
}

std::string_view kind_text(SubmitFieldKind kind) {
  switch (kind) {
    case SubmitFieldKind::Text: return "text";
    case SubmitFieldKind::Number: return "a number";
    case SubmitFieldKind::Flag: return "true or false";
    case SubmitFieldKind::List: return "a list of texts";
    case SubmitFieldKind::Moment: return "a moment, as text";
  }
  return "";
}

Result<SubmitValue> parse_whole_number(const SubmitField& field, const std::string& text) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (field.name.ends_with("_s") && text.find_first_of(":-") != std::string::npos)
    if (const auto seconds = parse_time_limit(text)) return SubmitValue{*seconds};
  const bool is_below = text.starts_with('-');
  const auto count = parse_count(is_below ? text.substr(1) : text, 0, most);
  if (!count) return wrong_value(field, "a number; it is " + quoted(text));
  return SubmitValue{is_below ? -*count : *count};
}

}  // namespace

std::span<const SubmitField> submit_fields() {
  static const std::vector<SubmitField> all = all_fields();
  return all;
}

const SubmitField* submit_field(std::string_view name) {
  const auto fields = submit_fields();
  const auto found = std::ranges::find(fields, name, &SubmitField::name);
  return found == fields.end() ? nullptr : &*found;
}

Refusal unknown_submit_field(std::string_view name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const SubmitField& field : submit_fields()) {
    names.push_back(field.name);
    all += (all.empty() ? "the fields are: " : ", ") + std::string(field.name);
  }
  const std::string suggestion = did_you_mean(name, names);
  return {"a submission has no field " + quoted(name), suggestion.empty() ? all : suggestion};
}

SubmitValue submit_value(const JobSpec& spec, const SubmitField& field) {
  SubmitValue value;
  each_field(spec, [&](std::string_view name, const auto& one) {
    if (name == field.name) value = value_of(one);
  });
  return value;
}

std::string submit_value_text(const SubmitValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  const std::string text = list != nullptr ? joined(*list, ",") : std::get<std::string>(value);
  return text.empty() ? "(none)" : text;
}

bool is_requested(const SubmitValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number != 0;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return !list->empty();
  return !std::get<std::string>(value).empty();
}

Result<SubmitValue> parse_submit_value(const SubmitField& field, const std::string& text) {
  switch (field.kind) {
    case SubmitFieldKind::Text:
    case SubmitFieldKind::Moment: return SubmitValue{text};
    case SubmitFieldKind::Number: return parse_whole_number(field, text);
    case SubmitFieldKind::Flag:
      if (text == "true" || text == "false") return SubmitValue{text == "true"};
      return wrong_value(field, "true or false; it is " + quoted(text));
    case SubmitFieldKind::List: break;
  }
  std::vector<std::string> words;
  if (!text.empty())
    for (const std::string_view word : split(text, ',')) words.emplace_back(word);
  return SubmitValue{std::move(words)};
}

Failure set_submit_value(JobSpec& spec, const SubmitField& field, const SubmitValue& value) {
  if (!field.can_change)
    return Refusal{std::string(field.name) + " of a submission cannot be changed", ""};
  if (!is_of_kind(value, field.kind)) return wrong_value(field, kind_text(field.kind));
  Failure failure;
  each_field(spec, [&](std::string_view name, auto& one) {
    if (name == field.name) failure = set_field(one, field, value);
  });
  if (!failure) resolve_beside(spec, field.name);
  return failure;
}

}  // namespace cox
