#include "client/manual/roff.h"

#include <algorithm>

#include "client/options/submit_option_table.h"
#include "common/base/text.h"

namespace cox {
namespace {

// Escapes text for roff: hyphens stay ASCII hyphens that can be copied, and no line is a macro.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string head(const ManualCommand& manual, int section) {
  std::string title = dashed(manual.name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH \"" + escaped(title) + "\" \"" + std::to_string(section) +
         "\" \"\" \"Coxswain " COX_VERSION "\" \"Coxswain\"\n.SH NAME\n" +
         escaped(dashed(manual.name)) + " \\- " + escaped(manual.summary) + "\n";
}

std::string option_head(const ManualOption& option) {
  std::string out;
  for (const auto& name : option.names) {
    out += (out.empty() ? "" : ", ") + bold(name);
    if (option.value_name.empty()) continue;
    const bool is_long = name.starts_with("--");
    out += (is_long ? "=" : " ") + ("\\fI" + escaped(option.value_name) + "\\fR");
  }
  return out;
}

std::string item(const std::string& what, const std::string& text) {
  return ".TP\n" + what + "\n" + text + "\n";
}

std::string synopsis(const ManualCommand& manual) {
  std::string out = ".SH SYNOPSIS\n";
  bool first = true;
  for (const auto& form : manual.forms) {
    if (!first) out += ".br\n";
    out += bold(manual.name) + " " + escaped(form) + "\n";
    first = false;
  }
  return out;
}

std::string options_section(const ManualCommand& manual) {
  std::string out = ".SH OPTIONS\n";
  for (const auto& operand : manual.operands)
    out += item("\\fI" + escaped(operand.name) + "\\fR", escaped(operand.help));
  for (const auto& option : manual.options) {
    std::string text = escaped(option.help);
    if (option.value_name.find('|') == std::string::npos && !option.values.empty()) {
      text += "\n.br\nOne of:";
      for (const auto& value : option.values) text += " " + escaped(value);
    }
    out += item(option_head(option), text);
  }
  return out;
}

std::string variables_section(const ManualCommand& manual) {
  std::string out;
  for (const auto& option : manual.options)
    for (const std::string_view variable : split(option.variable, ' '))
      if (!variable.empty())
        out += item(bold(std::string(variable)), "Same as " + bold(option.names.back()) + ".");
  return out;
}

// Returns the section with the options of Slurm's program that Coxswain refuses.
std::string later_section(const std::string& program, const OptionTable& table) {
  std::string out =
      ".SH NOT IN THIS VERSION\nThese options of Slurm's " + program + " are refused:\n";
  for (const UnsupportedOption& option : table.unsupported)
    out += item(bold("--" + std::string(option.name)), escaped(option.instead));
  return out;
}

const char* const files_section =
    ".SH FILES\n.TP\n\\fI~/.local/state/coxswain/coxswain.toml\\fR\n"
    "The private cluster that \\fBcox up\\fR made.\n"
    ".TP\n\\fI/etc/coxswain/coxswain.toml\\fR\nThe cluster of this machine.\n";

const char* const exit_section =
    ".SH EXIT STATUS\n.TP\n0\nSuccess.\n.TP\n1\nRefused or failed.\n.TP\n2\n"
    "The command line is wrong.\n.TP\n3\nNo controller answers.\n";

const char* const step_exit_section =
    ".SH EXIT STATUS\nThe highest exit code of all tasks; a task that a signal ended counts as 128 "
    "and the signal's number.\n\\fBSLURM_EXIT_ERROR\\fR, or 1, if no step was started.\n";

std::string see_also(const ManualCommand& manual, int section) {
  std::string out = ".SH SEE ALSO\n\\fBcox\\fR(1)";
  if (section == 8) return out + ", \\fBcoxswain.toml\\fR(5)\n";
  if (manual.name == "sbatch") out += ", \\fBcox\\-submit\\fR(1)";
  return out + "\n";
}

bool is_step(const ManualCommand& manual) {
  return manual.name == "srun";
}

bool is_submit(const ManualCommand& manual) {
  return manual.name == "sbatch" || manual.name == "cox submit";
}

}  // namespace

std::string page_file(const ManualCommand& manual, int section) {
  return dashed(manual.name) + "." + std::to_string(section);
}

std::string page_text(const ManualCommand& manual, int section) {
  std::string out = head(manual, section) + synopsis(manual);
  if (is_submit(manual))
    out +=
        ".SH DESCRIPTION\n"
        "With \\-\\- the command is started as every rank of the gang; a script runs once, on the\n"
        "first node. A script has options on its #SBATCH lines. SBATCH_* variables override them,\n"
        "and the command line overrides both. Options after : on the command line, and after\n"
        "#SBATCH hetjob in a script, describe another component: nodes of another kind, which the\n"
        "job gets at the same time.\n";
  out += options_section(manual);
  if (section == 8) return out + files_section + see_also(manual, section);
  out += is_step(manual) ? step_exit_section : exit_section;
  if (manual.name == "cox wait") out += ".TP\nother\nThe exit code of the job.\n";
  out += ".SH ENVIRONMENT\n" + item(bold("COX_CONFIG"), "The cluster's coxswain.toml.") +
         variables_section(manual) + files_section;
  if (is_submit(manual)) out += later_section("sbatch", submit_options());
  if (is_step(manual)) out += later_section("srun", step_options());
  return out + see_also(manual, section);
}

std::string overview_page(const std::vector<ManualCommand>& commands) {
  ManualCommand cox;
  cox.name = "cox";
  cox.summary = "jobs for a whole gang of ranks";
  cox.forms = {"COMMAND [OPTION]...", "COMMAND --help"};
  std::string out = head(cox, 1) + synopsis(cox);
  out +=
      ".SH DESCRIPTION\n"
      "The client of Coxswain, a batch job queue for training and other gang jobs. Called as\n"
      "\\fBsbatch\\fR, \\fBsqueue\\fR, \\fBscancel\\fR or \\fBsinfo\\fR it behaves like these.\n"
      ".SH COMMANDS\n";
  std::string pages;
  for (const auto& command : commands) {
    out += item(bold(command.name), escaped(command.summary));
    pages += ", " + bold(dashed(command.name)) + "(1)";
  }
  out += ".SH OPTIONS\n" + item(bold("--json"), "Print the reply as JSON.") +
         item(bold("--config") + " \\fIFILE\\fR", "Use the cluster of this coxswain.toml.") +
         item(bold("--version"), "Print the version.") + exit_section + ".SH ENVIRONMENT\n" +
         item(bold("COX_CONFIG"), "The cluster's coxswain.toml.") + files_section;
  return out +
         ".SH SEE ALSO\n\\fBcoxswain.toml\\fR(5), \\fBcox\\-controller\\fR(8), "
         "\\fBcox\\-worker\\fR(8)" +
         pages + "\n";
}

}  // namespace cox
