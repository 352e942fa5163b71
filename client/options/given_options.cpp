#include "client/options/given_options.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "client/options/help_text.h"
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

// Returns the forms of the table's options, and after them those of Slurm's options that Coxswain
// refuses.
std::vector<OptionForm> forms_of(const OptionTable& table) {
  std::vector<OptionForm> forms = forms_of<SubmitOptions>(table.options);
  for (const UnsupportedOption& option : table.unsupported)
    forms.push_back(
        {option.name, option.letter, Takes::ValueAttached, "", "", "", 0, forms.size()});
  return forms;
}

std::string hint_of(const ParsedWords& read, OptionPlace place, const OptionTable& table) {
  std::vector<std::string_view> names;
  for (const SubmitOption& option : table.options) names.push_back(option.name);
  for (const UnsupportedOption& option : table.unsupported) names.push_back(option.name);
  switch (read.wrong) {
    case ParsedWords::Wrong::Ambiguous: return "write the option in full";
    case ParsedWords::Wrong::HasValue: return "write --" + std::string(names[read.row]) + " alone";
    case ParsedWords::Wrong::LacksValue: return value_advice(table.options[read.row]);
    case ParsedWords::Wrong::Nothing:
    case ParsedWords::Wrong::Unknown: break;
  }
  const std::string_view meant = read.name.empty() ? "" : nearest(read.name, names);
  if (!meant.empty()) return "did you mean --" + std::string(meant) + "?";
  // The command that reads a script may have other options itself, such as scrontab.
  return place == OptionPlace::Script ? "'sbatch --help' lists them" : "--help shows all options";
}

Refusal refuse_unsupported(const UnsupportedOption& option, const std::string& written) {
  const std::string name = written.starts_with("--") ? "" : " (--" + std::string(option.name) + ")";
  return {written + name + " is not supported", std::string(option.instead)};
}

}  // namespace

Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table) {
  ParsedWords read = read_words(forms_of(table), words, Operands::Behind);
  GivenOptions given{{}, read.words_read, read.double_dash};
  for (ParsedWords::Given& each : read.options) {
    if (each.row >= table.options.size())
      return refuse_unsupported(table.unsupported[each.row - table.options.size()], each.written);
    const SubmitOption& option = table.options[each.row];
    if ((option.rules & OptionForm::command_line_only) != 0 && place != OptionPlace::CommandLine)
      return Refusal{each.written + " is allowed only on the command line, not in a script",
                     "remove it from the script"};
    given.options.push_back({&option, std::move(each.value), std::move(each.written)});
  }
  if (read.wrong != ParsedWords::Wrong::Nothing)
    return Refusal{std::move(read.fact), hint_of(read, place, table)};
  return given;
}

namespace {

// Returns whether the value of a variable turns on an option that takes no value. As in Slurm:
// empty, "yes" or a number other than 0.
bool is_affirmative(const std::string& value) {
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
      if (option.takes == Takes::Nothing && !is_affirmative(value)) break;
      if (option.takes == Takes::Nothing) value.clear();
      if (option.takes == Takes::Value && value.empty()) continue;
      given.options.push_back({&option, std::move(value), std::string(name)});
      break;
    }
  }
  for (const UnsupportedOption& option : table.unsupported) {
    const std::string* variable = option.variable.empty() ? nullptr : value_of(option.variable);
    if (!variable || variable->size() == option.variable.size() + 1) continue;
    const std::string written =
        std::string(option.variable) + " (--" + std::string(option.name) + ")";
    return Refusal{written + " is not supported",
                   "unset " + std::string(option.variable) + "; " + std::string(option.instead)};
  }
  return given;
}

namespace {

// Returns why srun would refuse the value: the steps of the job read it from a variable.
Failure refused_by_steps(const GivenOption& given) {
  const auto& steps = step_options().options;
  const auto step = std::ranges::find(steps, given.option->name, &SubmitOption::name);
  SubmitOptions unused;
  return step == steps.end() || step->set == nullptr ? std::nullopt
                                                     : step->set(unused, given.value);
}

// Adds the option to `stored` as text, such as "hint=nomultithread". A later value replaces an
// earlier one.
Failure store(const GivenOption& given, std::vector<std::string>& stored) {
  if (Failure failure = refused_by_steps(given)) return failure;
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

// Returns Slurm's message for an invalid value, followed by the reason. If the value comes from an
// environment variable, names the variable, since the user does not see it.
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

// Records the option as in effect for --verbose. Removes its opposite: --requeue removes
// --no-requeue.
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
  return option_lines(forms_of(table));
}

std::string submit_help(bool as_sbatch) {
  const std::string usage =
      as_sbatch
          ? "Usage: sbatch [OPTION]... [SCRIPT [ARGUMENT]...]\n"
          : "Usage: cox submit [OPTION]... -- COMMAND [ARGUMENT]...   every rank runs it\n"
            "       cox submit [OPTION]... [SCRIPT [ARGUMENT]...]     the first node runs it\n";
  return usage +
         "\nSBATCH_* variables override the options on a script's #SBATCH lines, and the command\n"
         "line overrides both.\n\n" +
         option_lines(submit_options());
}

std::string step_help() {
  return "Usage: srun [OPTION]... COMMAND [ARGUMENT]...   tasks of a step, in an allocation or\n"
         "                                             in one that it makes for it\n"
         "\nThe command line overrides SLURM_* variables.\n\n" +
         option_lines(step_options());
}

}  // namespace cox
