#include "client/slurm/text/option_words.h"

#include <algorithm>
#include <utility>

#include "client/slurm/text/version_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

// An option without a help of its own is another spelling of the one above it.
std::vector<OptionForm> forms_of(std::span<const WordOption> table) {
  std::vector<OptionForm> forms;
  for (const WordOption& option : table) {
    const std::size_t meaning =
        option.help.empty() && !forms.empty() ? forms.back().meaning : forms.size();
    forms.push_back({option.name, option.letter, option.takes, meaning});
  }
  return forms;
}

// Returns whether Slurm lists the option at the end, under "Help options".
bool is_about_help(std::string_view name) {
  return name == "help" || name == "usage" || name == "version";
}

}  // namespace

std::variant<GivenWords, Shown> read_option_words(std::string_view program,
                                                  std::span<const WordOption> table,
                                                  const std::vector<std::string>& words) {
  const std::vector<OptionForm> forms = forms_of(table);
  WordsRead read = read_words(forms, words, Operands::Among);
  if (read.wrong != WordsRead::Wrong::Nothing) {
    const std::string name(program);
    return Shown{"",
                 name + ": " + read.fact + "\nTry \"" + name + " --help\" for more information\n",
                 exit_refused};
  }
  GivenWords given{{}, std::move(read.operands)};
  for (WordsRead::Given& each : read.options)
    given.options.push_back(
        {&table[forms[each.row].meaning], std::move(each.value), each.has_value});
  return given;
}

Shown slurm_error(std::string_view program, const std::string& fact) {
  return {"", std::string(program) + ": error: " + printable(fact) + "\n", exit_refused};
}

std::string option_words_help(std::string_view program, std::span<const WordOption> table,
                              std::string_view operands) {
  std::string text = "Usage: " + std::string(program) + " [OPTIONS]";
  if (!operands.empty()) text += " " + std::string(operands);
  text += "\n\n";
  std::string of_help;
  for (const WordOption& option : table) {
    if (option.help.empty()) continue;
    std::string& section = is_about_help(option.name) ? of_help : text;
    section += help_head({option.name, option.letter, option.takes}, option.value_name);
    section += option.help;
    if (!option.variable.empty()) section += " [" + std::string(option.variable) + "]";
    section += "\n";
  }
  return text + "\nHelp options:\n" + of_help;
}

std::optional<Shown> told_instead(std::string_view program, std::span<const WordOption> table,
                                  std::string_view name, std::string_view usage,
                                  std::string_view operands) {
  if (name == "help") return Shown{option_words_help(program, table, operands), "", exit_ok};
  if (name == "usage") return Shown{std::string(usage), "", exit_ok};
  if (name == "version") return Shown{slurm_version_text(), "", exit_ok};
  return std::nullopt;
}

std::string asked_lines(const std::vector<std::pair<std::string, std::string>>& lines) {
  constexpr const char* rule = "-----------------------------\n";
  std::string text = rule;
  for (const auto& [name, value] : lines) {
    std::string head = name;
    head.resize(std::max<std::size_t>(head.size(), 11), ' ');
    text += head + " = " + value + "\n";
  }
  return text + rule;
}

std::string asked_flag(bool set) {
  return set ? "true" : "false";
}

bool has_variable(const std::vector<std::string>& environment, std::string_view name) {
  return std::ranges::any_of(environment, [&](const std::string& each) {
    return each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=';
  });
}

std::string variable_value(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& each : environment)
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  return "";
}

}  // namespace cox
