// Makes the text of --help from option tables. sbatch, salloc and srun list options only
// (option_lines()); other commands have a part for operands and one for options (command_help()).
// Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/getopt.h"

namespace cox {

// An option or operand with all its spellings.
struct NamedOption {
  const OptionForm* form = nullptr;
  std::vector<std::string> names;  // "-a", "--all"; for an operand "JOB"
};
std::vector<NamedOption> named_options(std::span<const OptionForm> forms);

// Return lines like "  -N, --nodes=NUMBER  how many", for one row or for all rows that have a help
// text. With `shows_variable`, the environment variable of the option follows.
std::string option_line(const OptionForm& option, bool shows_variable = false);
std::string option_lines(std::span<const OptionForm> forms);

struct HelpFrame {
  std::string about;    // the text before the usage line
  std::string program;  // "cox queue"
  std::string_view options_head;
  std::string commands;  // the text at the end: the list of commands; may be empty
};
std::string command_help(const HelpFrame& frame, std::span<const OptionForm> forms);

}  // namespace cox
