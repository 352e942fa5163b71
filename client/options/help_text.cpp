#include "client/options/help_text.h"

#include <algorithm>

namespace cox {
namespace {

// Returns the left column of --help for an option or operand, such as "JOB TEXT ... REQUIRED".
std::string help_names(const NamedOption& option) {
  const OptionForm& form = *option.form;
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ",") + name;
  if (form.takes != Takes::Nothing && !form.value_name.empty())
    text += " " + std::string(form.value_name);
  if (form.takes == Takes::Values || form.takes == Takes::Operands || form.has(form.repeats))
    text += " ...";
  if (form.has(form.needed)) text += " REQUIRED";
  if (!form.variable.empty()) text += " (Env:" + std::string(form.variable) + ")";
  return text;
}

std::string help_entry(const NamedOption& option) {
  constexpr std::size_t width = 28;
  std::string text = "  " + help_names(option);
  if (text.size() >= width) text += "\n" + std::string(width, ' ');
  if (text.size() < width) text.resize(width, ' ');
  return text + std::string(option.form->help) + "\n";
}

}  // namespace

std::vector<NamedOption> named_options(std::span<const OptionForm> forms) {
  std::vector<NamedOption> options;
  for (const OptionForm& form : forms) {
    if (!form.help.empty()) options.push_back({&form, {}});
    auto& names = options.back().names;
    if (form.letter != 0)
      names.insert(std::ranges::find_if(names, [](const auto& n) { return n.starts_with("--"); }),
                   std::string("-") + form.letter);
    if (!form.name.empty())
      names.push_back((form.is_operand() ? "" : "--") + std::string(form.name));
  }
  return options;
}

std::string option_line(const OptionForm& option, bool shows_variable) {
  constexpr std::size_t width = 38;
  std::string line = option.letter != 0 ? std::string("  -") + option.letter : "    ";
  if (!option.name.empty())
    line += (option.letter != 0 ? ", --" : "  --") + std::string(option.name);
  if (option.takes == Takes::Value) line += "=" + std::string(option.value_name);
  if (option.takes == Takes::ValueAttached) line += "[=" + std::string(option.value_name) + "]";
  line.resize(std::max(line.size() + 2, width), ' ');
  line += option.help;
  if (shows_variable && !option.variable.empty()) line += " [" + std::string(option.variable) + "]";
  return line + "\n";
}

std::string option_lines(std::span<const OptionForm> forms) {
  std::string text;
  for (const OptionForm& form : forms)
    if (!form.help.empty()) text += option_line(form);
  return text;
}

std::string command_help(const HelpFrame& frame, std::span<const OptionForm> forms) {
  std::string usage = frame.about + "\nUsage: " + frame.program + " [OPTIONS]";
  std::string operands, options;
  for (const NamedOption& option : named_options(forms)) {
    if (!option.form->is_operand()) {
      options += help_entry(option);
      continue;
    }
    const std::string name =
        option.names.front() + (option.form->takes == Takes::Operands ? "..." : "");
    usage += option.form->has(OptionForm::needed) ? " " + name : " [" + name + "]";
    operands += help_entry(option);
  }
  if (!operands.empty()) operands = "\nPositionals:\n" + operands;
  return usage + "\n" + operands + "\n" + std::string(frame.options_head) + ":\n" + options + "\n" +
         frame.commands;
}

}  // namespace cox
