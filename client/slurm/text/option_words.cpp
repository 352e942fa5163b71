#include "client/slurm/text/option_words.h"

#include <algorithm>
#include <utility>

#include "client/options/help_text.h"
#include "client/slurm/text/version_text.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Returns whether --help lists the option at the end, under "Help options", as Slurm does.
bool is_about_help(std::string_view name) {
  return name == "help" || name == "usage" || name == "version";
}

}  // namespace

Shown getopt_error(const ProgramWords& program, const std::string& fact) {
  const std::string name(program.program);
  return {"", name + ": " + fact + "\nTry \"" + name + " --help\" for more information\n",
          exit_refused};
}

Shown slurm_error(std::string_view program, const std::string& fact) {
  return {"", std::string(program) + ": error: " + printable(fact) + "\n", exit_refused};
}

std::string option_words_help(const ProgramWords& words, std::span<const OptionForm> forms) {
  std::string text = "Usage: " + std::string(words.program) + " [OPTIONS]";
  if (!words.operands.empty()) text += " " + std::string(words.operands);
  text += "\n\n";
  std::string of_help;
  for (const OptionForm& option : forms)
    if (!option.help.empty())
      (is_about_help(option.name) ? of_help : text) += option_line(option, true);
  return text + "\nHelp options:\n" + of_help;
}

std::optional<Shown> shown_instead(const ProgramWords& words, std::span<const OptionForm> forms,
                                   std::string_view name) {
  if (name == "help") return Shown{option_words_help(words, forms), "", exit_ok};
  if (name == "usage") return Shown{std::string(words.usage), "", exit_ok};
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
