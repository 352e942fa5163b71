// Carries out the lines that a task prolog writes to its standard output, as Slurm does:
//
//   export NAME=value   sets a variable of the task; the value goes to the end of the line
//   unset NAME          removes a variable of the task
//   print TEXT          writes the line to the task's standard output
//
// Every other line is ignored. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Changes the environment (NAME=value each) as the lines of `output` order. Returns the text to
// print.
std::string apply_prolog_lines(std::string_view output, std::vector<std::string>& environment);

}  // namespace cox
