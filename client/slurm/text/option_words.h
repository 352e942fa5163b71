// Parses the options of squeue, sinfo, scancel and some other commands of Slurm, and formats their
// --help. Operands may come before options. Errors are those of getopt. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "client/options/option_row.h"
#include "client/text/screen.h"

namespace cox {

// A program of Slurm, and the texts of its --help and --usage besides the options.
struct ProgramWords {
  std::string_view program;
  std::string_view usage;       // the text of --usage
  std::string_view operands{};  // the operands, for --help: "[JOB]..."
};

// Returns "squeue: error: FACT", and exit code 1.
Shown slurm_error(std::string_view program, const std::string& fact);

std::string option_words_help(const ProgramWords& words, std::span<const OptionForm> forms);

// Returns what the option `name` prints if it is help, usage or version. Returns nothing for other
// options.
std::optional<Shown> shown_instead(const ProgramWords& words, std::span<const OptionForm> forms,
                                   std::string_view name);

// Returns getopt's error `fact` as the program of Slurm prints it, with the exit code of that
// program.
Shown getopt_error(const ProgramWords& program, const std::string& fact);

// Parses the options into `asked`. Returns the operands, or the text to print instead: --help or an
// error. If `asked` has a member `wrong_`, a setter may store an error there, which ends parsing.
template <class Asked>
std::variant<std::vector<std::string>, Shown> read_option_words(
    const ProgramWords& program, std::span<const OptionRow<Asked>> rows,
    const std::vector<std::string>& words, Asked& asked) {
  const std::vector<OptionForm> forms = forms_of(rows);
  ParsedWords read = read_words(forms, words, Operands::Among);
  if (read.wrong != ParsedWords::Wrong::Nothing) return getopt_error(program, read.fact);
  for (const ParsedWords::Given& each : read.options) {
    const OptionRow<Asked>& row = rows[each.row];
    if (auto shown = shown_instead(program, forms, row.name)) return *std::move(shown);
    if constexpr (requires { asked.take_event(row.name); })
      if (row.set == nullptr) asked.take_event(row.name);
    if (row.set == nullptr) continue;
    if (const Failure failure = row.set(asked, each.value))
      return slurm_error(program.program, failure->fact);
    if constexpr (requires { asked.wrong_; })
      if (asked.wrong_) return *asked.wrong_;
  }
  return std::move(read.operands);
}

// Returns what --verbose prints first: a line "name = value" for each option, between two rules of
// dashes.
std::string asked_lines(const std::vector<std::pair<std::string, std::string>>& lines);
std::string asked_flag(bool set);

// Returns the value of the variable in the environment ("NAME=VALUE"). Empty if it is unset or
// empty.
std::string variable_value(const std::vector<std::string>& environment, std::string_view name);
bool has_variable(const std::vector<std::string>& environment, std::string_view name);

}  // namespace cox
