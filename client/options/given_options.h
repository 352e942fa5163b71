// Options as users write them. Options from each place (command line, #SBATCH lines, variables) are
// parsed into GivenOptions by a table. They are applied in the order #SBATCH, variables, command
// line, so that the later place wins. Pure; used by client/submit/submit, client/submit/script and
// client/step/step_plan.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/submit_option_table.h"
#include "client/options/submit_options.h"
#include "common/base/result.h"

namespace cox {

// An option as the user wrote it.
struct GivenOption {
  const SubmitOption* option = nullptr;
  std::string value;    // empty: given without a value
  std::string written;  // "-N", "--nodes" or "SBATCH_PARTITION", to name it in a refusal
};

struct GivenOptions {
  std::vector<GivenOption> options;
  std::size_t words_read = 0;  // index of the first word after the options
  bool double_dash = false;    // whether the options ended at a word "--"
};

enum class OptionPlace { CommandLine, Script };

// Reads the options by getopt's rules: -N2, -N 2, --nodes=2, --nodes 2, unambiguous beginnings of
// long names, letters of options without a value in one word (-HQ). Ends at the first word that is
// not an option, or after "--".
Result<GivenOptions> read_options(const std::vector<std::string>& words, OptionPlace place,
                                  const OptionTable& table = submit_options());

// Reads options from the environment ("NAME=value"), such as SBATCH_PARTITION. A variable with an
// empty value counts as unset, if its option needs a value. An option without a value is turned on
// if its variable is empty, "yes" or a number other than 0.
Result<GivenOptions> read_option_variables(const std::vector<std::string>& environment,
                                           const OptionTable& table = submit_options());

// Slurm's words with which the refusal of a value begins, if the value is not a number.
inline constexpr std::string_view invalid_number = "Invalid numeric value";
// Slurm's words with which the refusal of --nodes begins, if no job may have so many nodes. In
// Slurm the controller refuses such a job, so sbatch then exits with 1, not 255.
inline constexpr std::string_view too_many_nodes_asked = "More processors requested than permitted";

// Validates the values of the options and stores them in `asked`. A refusal names the option.
Failure apply_options(const GivenOptions& given, SubmitOptions& asked);

// Return the text of --help of sbatch or cox submit, and of srun.
std::string submit_help(bool as_sbatch);
std::string step_help();
// Returns the lines of --help about the options of the table.
std::string option_lines(const OptionTable& table);

}  // namespace cox
