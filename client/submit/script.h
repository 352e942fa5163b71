// A batch script as text: whether it is one, and the options on its #SBATCH lines, by Slurm's
// rules. Pure; used by client/submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/options/submit_options.h"
#include "common/base/result.h"

namespace cox {

// Refuses what no shell would run as meant: an empty file, one without "#!" on its first line, with
// NUL bytes, with DOS line ends, or larger than limits::script_bytes_max.
Failure check_script(std::string_view script, std::string_view name);

// Returns the words of a directive after "#SBATCH" or "#SCRON", up to a bare '#'. Quotes ' and "
// and the backslash work as in Slurm.
Result<std::vector<std::string>> directive_words(std::string_view line);

// The options on lines that begin with "#SBATCH", up to the first line that is neither empty nor a
// comment, applied to the first component, and behind each "#SBATCH hetjob" to one more. `name` is
// the script's, for refusals: "job.sh line 3: ...". Quotes ' and " and the backslash work as in
// Slurm; a bare '#' ends the line.
Failure apply_script_options(std::string_view script, std::string_view name, ComponentOptions& all);

}  // namespace cox
