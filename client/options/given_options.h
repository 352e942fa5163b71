// Options as people write them. Each place where they may stand (the command line, #SBATCH lines,
// variables) is read into GivenOptions by the rows of a table, and applied in the order #SBATCH,
// variables, command line, so that the later place wins. Pure; used by client/submit/submit,
// client/submit/script and client/step/step_plan.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/submit_option_table.h"
#include "client/options/submit_options.h"
#include "common/base/result.h"

namespace cox {

// An option as somebody wrote it.
struct GivenOption {
  const SubmitOption* option = nullptr;
  std::string value;    // empty for those that take none
  std::string written;  // "-N", "--nodes" or "SBATCH_PARTITION": for naming it in a refusal
};

struct GivenOptions {
  std::vector<GivenOption> options;
  std::size_t words_read = 0;  // the words from here on are no options
  bool double_dash = false;    // the options ended at "--"
};

enum class OptionPlace { CommandLine, Script };

// By getopt's rules: -N2, -N 2, --nodes=2, --nodes 2, unambiguous beginnings of long names, letters
// of options without a value in one word (-HQ); ends at the first word that is no option, or at
// "--".
Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table = submit_options());

// Reads the options among the variables ("NAME=value") of the environment. A variable with an empty
// value counts as unset, except for options that take none: those hold when it is empty, "yes" or a
// number that is not 0.
Result<GivenOptions> read_option_variables(const std::vector<std::string>& environment,
                                           const OptionTable& table = submit_options());

// How a refusal of what should be a number begins.
inline constexpr std::string_view invalid_number = "Invalid numeric value";
// How a refusal of more nodes than any job may have begins. In Slurm the controller says so.
inline constexpr std::string_view too_many_nodes_asked = "More processors requested than permitted";

// Judges the values and sets what they ask. A refusal names the option.
Failure apply_options(const GivenOptions& given, SubmitOptions& asked);

// The text of --help.
std::string submit_help(bool as_sbatch);
std::string step_help();
// A line for each option.
std::string option_lines(const OptionTable& table);

}  // namespace cox
