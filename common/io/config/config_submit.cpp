#include "common/io/config/config_submit.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "common/io/config/config_values.h"

namespace cox {
namespace {

// Parses each text of an array, appends the result to `all`, and returns the texts. REQUIRES:
// parse: const std::string& → Result<One>.
template <class One, class Parse>
Result<std::vector<std::string>> parse_each(const std::vector<std::string>& texts, Parse parse,
                                            std::vector<One>& all) {
  if (texts.size() > limits::submit_conditions_max)
    return Refusal{"has " + std::to_string(texts.size()) + " texts; the limit is " +
                       std::to_string(limits::submit_conditions_max),
                   ""};
  all.clear();
  for (const std::string& text : texts) {
    auto one = parse(text);
    if (!one) {
      const Refusal& why = one.refusal();
      return Refusal{
          "contains " + quoted(text) + ": " + why.fact + (why.hint.empty() ? "" : "; " + why.hint),
          ""};
    }
    all.push_back(std::move(*one));
  }
  return texts;
}

auto conditions_into(std::vector<SubmitCondition>& all) {
  return [&all](const std::vector<std::string>& texts) {
    return parse_each(texts, parse_submit_condition, all);
  };
}

auto settings_into(std::vector<SubmitSetting>& all) {
  return [&all](const std::vector<std::string>& texts) {
    return parse_each(texts, parse_submit_setting, all);
  };
}

Result<std::string> parse_refusal(const std::string& text) {
  if (text.size() <= limits::reason_bytes_max) return parse_line(text);
  return Refusal{"has " + std::to_string(text.size()) + " bytes; the limit is " +
                     std::to_string(limits::reason_bytes_max),
                 ""};
}

void check_rule(TableReader& table, const SubmitRule& rule) {
  if (rule.require.empty() && rule.set.empty() && rule.refuse.empty())
    table.problem("name",
                  "is '" + rule.name + "', a rule without effect; give it require, set or refuse");
  if (rule.require.empty() && !rule.set.empty() && !rule.refuse.empty())
    table.problem("set",
                  "has no effect beside refuse without require: the rule refuses all that match");
}

void read_submit_rule(const toml::table& source, std::vector<SubmitRule>& rules, Problems& problems,
                      std::vector<ConfigValue>& values) {
  SubmitRule rule;
  TableReader table(source, "[[submit_rule]]", problems, values);
  std::vector<std::string> match, require, set;
  table.text("name", rule.name, parse_name);
  table.texts("match", match, conditions_into(rule.match));
  table.texts("require", require, conditions_into(rule.require));
  table.texts("set", set, settings_into(rule.set));
  table.text("refuse", rule.refuse, parse_refusal);
  if (!table.finish()) return;
  table.require("name", "give each rule a name: refusals name it");
  check_rule(table, rule);
  if (!rule.name.empty() && std::ranges::find(rules, rule.name, &SubmitRule::name) != rules.end())
    problems.add(line_of(*source.get("name")),
                 "[[submit_rule]] " + quoted(rule.name) + " is described twice");
  rules.push_back(std::move(rule));
}

}  // namespace

void read_submit_program(TableReader& table, ControllerConfig& config) {
  table.text("submit_program", config.submit_program, parse_path);
  table.duration("submit_program_timeout", config.submit_program_timeout, Milliseconds{100},
                 Milliseconds{limits::submit_run_ms_max});
  table.boolean("submit_without_program", config.submit_without_program);
}

void read_submit_rules(const toml::table& root, std::vector<SubmitRule>& rules, Problems& problems,
                       std::vector<ConfigValue>& values) {
  const toml::node* node = root.get("submit_rule");
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_array_of_tables())
    return problems.add(line_of(*node), "submit_rule must be written as [[submit_rule]]");
  if (array->size() > limits::submit_rules_max)
    return problems.add(line_of(*node), "there are " + std::to_string(array->size()) +
                                            " [[submit_rule]] tables; the limit is " +
                                            std::to_string(limits::submit_rules_max));
  for (const toml::node& element : *array)
    read_submit_rule(*element.as_table(), rules, problems, values);
}

}  // namespace cox
