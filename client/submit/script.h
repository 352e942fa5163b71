// Checks the text of a batch script and parses the options on its #SBATCH lines, by Slurm's rules.
// Pure; used by client/submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/options/submit_options.h"
#include "common/base/result.h"

namespace cox {

// Refuses a text that no shell would run as intended: an empty file, one without "#!" on its first
// line, with NUL bytes, with DOS line ends, or larger than limits::script_bytes_max. Hints name
// sbatch if `as_sbatch`, else cox submit.
Failure check_script(std::string_view script, std::string_view name, bool as_sbatch = false);

// Returns the words of a directive; `line` is the text after "#SBATCH" or "#SCRON". An unquoted '#'
// begins a comment. Quotes ' and " and the backslash work as in Slurm.
Result<std::vector<std::string>> directive_words(std::string_view line);

// Returns the text without the blanks at its beginning.
std::string_view skip_blanks(std::string_view text);

// Returns whether the line is neither empty nor a comment. No directives are read after the first
// such line.
bool is_command(std::string_view line);

// Applies the options on #SBATCH lines, up to the first line that is neither empty nor a comment.
// They apply to component 0, and after each "#SBATCH hetjob" to the next component. `name` is the
// script's name for refusals: "job.sh line 3: ...".
Failure apply_script_options(std::string_view script, std::string_view name, ComponentOptions& all);

}  // namespace cox
