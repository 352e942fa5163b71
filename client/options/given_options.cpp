#include "client/options/given_options.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "client/options/option_values.h"
#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/syntax/node_range.h"

namespace cox {
namespace {

std::string value_advice(const SubmitOption& option) {
  return "write --" + std::string(option.name) + "=" + std::string(option.value_name);
}

// Those of this version, then the later ones. Several rows that set the same mean the same.
std::vector<OptionForm> forms_of(const OptionTable& table) {
  std::vector<OptionForm> forms;
  for (const SubmitOption& option : table.options) {
    const auto first = std::ranges::find(table.options, option.set, &SubmitOption::set);
    const bool is_alone = option.set == nullptr || option.set == ignore_option;
    const auto meaning =
        is_alone ? forms.size() : static_cast<std::size_t>(first - table.options.begin());
    forms.push_back({option.name, option.letter, option.takes, meaning});
  }
  for (const LaterOption& option : table.later)
    forms.push_back({option.name, option.letter, Takes::ValueAttached, forms.size()});
  return forms;
}

std::string hint_of(const WordsRead& read, const OptionTable& table) {
  std::vector<std::string_view> names;
  for (const SubmitOption& option : table.options) names.push_back(option.name);
  for (const LaterOption& option : table.later) names.push_back(option.name);
  switch (read.wrong) {
    case WordsRead::Wrong::Ambiguous: return "write more of it";
    case WordsRead::Wrong::HasValue: return "write --" + std::string(names[read.row]) + " alone";
    case WordsRead::Wrong::LacksValue: return value_advice(table.options[read.row]);
    case WordsRead::Wrong::Nothing:
    case WordsRead::Wrong::Unknown: break;
  }
  const std::string_view meant = read.name.empty() ? "" : nearest(read.name, names);
  return meant.empty() ? "--help shows all options" : "did you mean --" + std::string(meant) + "?";
}

Refusal refuse_later(const LaterOption& option, const std::string& written) {
  const std::string name = written.starts_with("--") ? "" : " (--" + std::string(option.name) + ")";
  return {written + name + " is not in this version", std::string(option.instead)};
}

}  // namespace

Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table) {
  WordsRead read = read_words(forms_of(table), words, Operands::Behind);
  GivenOptions given{{}, read.words_read, read.double_dash};
  for (WordsRead::Given& each : read.options) {
    if (each.row >= table.options.size())
      return refuse_later(table.later[each.row - table.options.size()], each.written);
    const SubmitOption& option = table.options[each.row];
    if (option.command_line_only && place != OptionPlace::CommandLine)
      return Refusal{each.written + " has its place on the command line, not in a script",
                     "take it out of the script"};
    given.options.push_back({&option, std::move(each.value), std::move(each.written)});
  }
  if (read.wrong != WordsRead::Wrong::Nothing)
    return Refusal{std::move(read.fact), hint_of(read, table)};
  return given;
}

namespace {

// As Slurm reads the variable of an option without a value.
bool says_yes(const std::string& value) {
  return value.empty() || lower_case(value) == "yes" ||
         std::strtol(value.c_str(), nullptr, 10) != 0;
}

}  // namespace

Result<GivenOptions> read_option_variables(const std::vector<std::string>& environment,
                                           const OptionTable& table) {
  const auto value_of = [&](std::string_view name) -> const std::string* {
    const auto found = std::find_if(environment.begin(), environment.end(), [&](const auto& each) {
      return each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=';
    });
    return found == environment.end() ? nullptr : &*found;
  };
  GivenOptions given;
  for (const SubmitOption& option : table.options) {
    if (option.variable.empty()) continue;
    for (const std::string_view name : split(option.variable, ' ')) {
      const std::string* variable = value_of(name);
      if (!variable) continue;
      std::string value = variable->substr(name.size() + 1);
      if (option.takes == Takes::Nothing && !says_yes(value)) break;
      if (option.takes == Takes::Nothing) value.clear();
      if (option.takes == Takes::Value && value.empty()) continue;
      given.options.push_back({&option, std::move(value), std::string(name)});
      break;
    }
  }
  for (const LaterOption& option : table.later) {
    const std::string* variable = option.variable.empty() ? nullptr : value_of(option.variable);
    if (!variable || variable->size() == option.variable.size() + 1) continue;
    const std::string written =
        std::string(option.variable) + " (--" + std::string(option.name) + ")";
    return Refusal{written + " is not in this version",
                   "unset " + std::string(option.variable) + "; " + std::string(option.instead)};
  }
  return given;
}

namespace {

// "hint=nomultithread"; the later beats the earlier.
Failure store(const GivenOption& given, std::vector<std::string>& stored) {
  std::string value;
  if (given.option->takes == Takes::Value || !given.value.empty())
    if (Failure failure = set_text(given.value, limits::wish_bytes_max, value)) return failure;
  const std::string name(given.option->name);
  std::erase_if(stored, [&](const std::string& each) {
    return each == name || each.starts_with(name + "=");
  });
  stored.push_back(value.empty() ? name : name + "=" + value);
  return std::nullopt;
}

// Slurm's words for a value that is none, and ours for why. Where it was written is told of
// variables, for they are out of sight.
std::string invalid_value(const GivenOption& given, const std::string& why) {
  const std::string name(given.option->name);
  const std::string place = given.written.starts_with('-') ? "" : " (" + given.written + ")";
  if (why.starts_with(quoted(given.value) + " is not a whole number"))
    return std::string(invalid_number) + " " + quoted(given.value) + " for --" + name + place +
           ": " + why;
  if (name == "propagate") return why + place;
  if (name == "array") return "Invalid job array specification" + place + ": " + why;
  if (name == "dependency") return "Job dependency problem" + place + ": " + why;
  if (name == "nodes" && why.ends_with(too_many_nodes))
    return std::string(too_many_nodes_asked) + place + ": " + why;
  if (name == "nodes")
    return quoted(given.value) + " is not a valid node count" + place + ": " + why;
  return "Invalid --" + name + " specification" + place + ": " + why;
}

// Records the option as in effect. It removes an earlier one that it undoes.
void note_in_effect(const GivenOption& given, std::map<std::string, std::string>& in_effect) {
  constexpr std::pair<std::string_view, std::string_view> opposites[] = {
      {"requeue", "no-requeue"}, {"bell", "no-bell"}, {"exact", "whole"}};
  const std::string name(given.option->name);
  for (const auto& [one, other] : opposites) {
    if (name == one) in_effect.erase(std::string(other));
    if (name == other) in_effect.erase(std::string(one));
  }
  in_effect[name] = given.value;
}

}  // namespace

Failure apply_options(const GivenOptions& given, SubmitOptions& asked) {
  for (const GivenOption& each : given.options) {
    CHECK(each.option != nullptr);
    Failure failure = each.option->set == nullptr ? store(each, asked.spec.stored_options)
                                                  : each.option->set(asked, each.value);
    if (!failure) {
      note_in_effect(each, asked.in_effect);
      continue;
    }
    return Refusal{invalid_value(each, failure->fact),
                   failure->hint.empty() ? value_advice(*each.option) : failure->hint};
  }
  return std::nullopt;
}

std::string option_lines(const OptionTable& table) {
  std::string text;
  for (const SubmitOption& option : table.options) {
    if (option.help.empty()) continue;
    text += help_head({option.name, option.letter, option.takes}, option.value_name);
    text += std::string(option.help) + "\n";
  }
  return text;
}

std::string submit_help(bool as_sbatch) {
  const std::string usage =
      as_sbatch
          ? "Usage: sbatch [OPTION]... [SCRIPT [ARGUMENT]...]\n"
          : "Usage: cox submit [OPTION]... -- COMMAND [ARGUMENT]...   every rank runs it\n"
            "       cox submit [OPTION]... [SCRIPT [ARGUMENT]...]     the first node runs it\n";
  return usage +
         "\nA script's own options stand on its #SBATCH lines. SBATCH_* variables beat them, and\n"
         "the command line beats both.\n\n" +
         option_lines(submit_options());
}

std::string step_help() {
  return "Usage: srun [OPTION]... COMMAND [ARGUMENT]...   tasks of a step, in an allocation or\n"
         "                                             in one that it makes for it\n"
         "\nThe command line beats SLURM_* variables.\n\n" +
         option_lines(step_options());
}

}  // namespace cox
