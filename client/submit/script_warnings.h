// Warnings about lines and words that look like options of sbatch and are none: sbatch says nothing
// about them, and the job then runs with other settings than its user believes. Pure; used by
// client/submit/submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Returns warnings about lines of a script: "#SBATCH" after the first command, "# SBATCH" and
// "#sbatch". Lines of a here-document are left out. `name`: the script's, for the warnings.
std::vector<std::string> script_warnings(std::string_view script, std::string_view name);

// Returns a warning if one of the script's arguments is the name or the letter of an option of
// sbatch: "--time=10", "-t 10", "-n4". Only the first is named.
std::vector<std::string> argument_warnings(const std::vector<std::string>& arguments,
                                           std::string_view name);

}  // namespace cox
