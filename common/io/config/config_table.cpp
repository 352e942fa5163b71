#include "common/io/config/config_table.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/io/config/config_values.h"

namespace cox {
namespace {

std::string type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::none: return "nothing";
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "text";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::date: return "a date";
    case toml::node_type::time: return "a time of day";
    case toml::node_type::date_time: return "a date and time";
  }
  return "of an unknown type";
}

// Converts seconds to milliseconds. A value that would overflow becomes one that is longer than any
// duration may be, so it is refused later.
Milliseconds from_seconds(std::int64_t seconds) {
  constexpr std::int64_t seconds_max = 1'000'000'000;
  return std::chrono::seconds(std::clamp(seconds, -seconds_max, seconds_max));
}

}  // namespace

Result<toml::table> parse_toml(const std::string& text, const std::string& path_shown) {
  Problems problems(path_shown);
  // Refuses a NUL here, because toml++ would cut its own message off there.
  if (const auto nul = text.find('\0'); nul != std::string::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(nul), '\n');
    problems.add(line, "there is a NUL byte, which text cannot contain", "write the line again");
    return problems.in_file_order().front();
  }
  toml::parse_result parsed = toml::parse(text, path_shown);
  if (parsed) return std::move(parsed).table();
  // toml++ quotes the file in its message, so the message may contain any characters.
  const std::string fact = printable(parsed.error().description());
  const auto says = [&](const char* words) { return fact.find(words) != std::string::npos; };
  const bool is_open = says("string:") && (says("control characters") || says("end-of-file"));
  problems.add(parsed.error().source().begin.line, fact,
               is_open ? "is a closing quote missing there?" : "");
  return problems.in_file_order().front();
}

void Problems::add(std::int64_t line, const std::string& fact, const std::string& hint) {
  found_.push_back({line, {path_ + ":" + std::to_string(line) + ": " + fact, hint}});
}

std::vector<Refusal> Problems::in_file_order() const {
  auto sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Found& a, const Found& b) { return a.line < b.line; });
  std::vector<Refusal> problems;
  for (auto& found : sorted) problems.push_back(std::move(found.why));
  return problems;
}

void TableReader::boolean(std::string_view key, bool& field) {
  read_boolean(key, field);
  note(key, {field ? "true" : "false"});
}

void TableReader::integer(std::string_view key, std::int64_t& field, std::int64_t min,
                          std::int64_t max) {
  read_integer(key, field, min, max);
  note(key, {std::to_string(field)});
}

void TableReader::duration(std::string_view key, Milliseconds& field, Milliseconds min,
                           Milliseconds max, bool never_allowed) {
  read_duration(key, field, min, max, never_allowed);
  note(key, {never_allowed && field.count() == 0 ? "never" : shown(field)});
}

void TableReader::time_limit(std::string_view key, std::int64_t& field_s) {
  read_time_limit(key, field_s);
  note(key, {std::to_string(field_s)});
}

void TableReader::read_boolean(std::string_view key, bool& field) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_boolean()) return wrong_type(key, *node, "true or false");
  field = node->as_boolean()->get();
}

void TableReader::read_integer(std::string_view key, std::int64_t& field, std::int64_t min,
                               std::int64_t max) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_integer()) return wrong_type(key, *node, "an integer");
  const std::int64_t value = node->as_integer()->get();
  if (value < min || value > max) {
    return problem(key, "is " + std::to_string(value) + "; it must be from " + std::to_string(min) +
                            " to " + std::to_string(max));
  }
  field = value;
}

void TableReader::read_duration(std::string_view key, Milliseconds& field, Milliseconds min,
                                Milliseconds max, bool never_allowed) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (never_allowed && node->value<std::string_view>() == "never") {
    field = Milliseconds{0};
    return;
  }
  if (!node->is_string() && !node->is_integer()) {
    return wrong_type(key, *node, "a duration such as \"15s\"");
  }
  const auto value = node->is_string() ? parse_duration(node->as_string()->get())
                                       : from_seconds(node->as_integer()->get());
  if (!value) return problem(key, value.refusal().fact);
  if (*value < min || *value > max) {
    return problem(key, "is " + shown(*value) + "; it must be from " + shown(min) + " to " +
                            shown(max) + (never_allowed ? ", or \"never\"" : ""));
  }
  field = *value;
}

void TableReader::read_time_limit(std::string_view key, std::int64_t& field_s) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_string()) return read_integer(key, field_s, 0, limits::time_limit_s_max);
  const auto parsed = parse_time_limit(node->as_string()->get());
  if (!parsed) return problem(key, parsed.refusal().fact);
  if (*parsed > limits::time_limit_s_max) {
    return problem(key, "is longer than the limit of " +
                            std::to_string(limits::time_limit_s_max / 86'400) + " days");
  }
  field_s = *parsed;
}

bool TableReader::has(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node != nullptr && node->value<std::string_view>() != "";
}

void TableReader::require(std::string_view key, const std::string& hint) {
  if (has(key)) return;
  problems_.add(line_of(table_), title_ + " needs the key '" + std::string(key) + "'", hint);
}

void TableReader::problem(std::string_view key, const std::string& fact) {
  const toml::node* node = table_.get(key);
  problems_.add(line_of(node == nullptr ? table_ : *node),
                std::string(key) + " in " + title_ + " " + fact);
}

bool TableReader::finish() {
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const auto& [key, node] : table_) {
    if (known_.contains(key.str())) continue;
    std::string fact = "unknown key '" + printable(key.str()) + "' in " + title_;
    const auto suggestion = nearest(key.str(), known);
    if (!suggestion.empty()) fact += "; did you mean '" + std::string(suggestion) + "'?";
    std::string all = "the keys are:";
    for (const auto name : known) all += " " + std::string(name);
    problems_.add(key.source().begin.line, fact, all);
  }
  return problems_.count() == problems_before_;
}

const toml::node* TableReader::find(std::string_view key) {
  known_.insert(key);
  return table_.get(key);
}

void TableReader::note(std::string_view key, std::vector<std::string> value) {
  values_.push_back({title_, std::string(key), std::move(value), table_.contains(key)});
}

bool TableReader::read_texts(std::string_view key, const toml::node& node,
                             std::vector<std::string>& values) {
  const std::string wanted = "an array of texts such as [\"a\", \"b\"]";
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    wrong_type(key, node, wanted);
    return false;
  }
  for (const toml::node& element : *array) {
    if (!element.is_string()) {
      problem(key, "has " + type_of(element) + " as entry " + std::to_string(values.size() + 1) +
                       "; each entry must be text in quotes");
      return false;
    }
    values.push_back(element.as_string()->get());
  }
  return true;
}

void TableReader::wrong_type(std::string_view key, const toml::node& node,
                             const std::string& wanted) {
  problem(key, "is " + type_of(node) + "; it must be " + wanted);
}

}  // namespace cox
