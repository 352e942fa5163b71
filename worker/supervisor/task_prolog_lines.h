// What a task prolog writes to its standard output, carried out as Slurm does:
//
//   export NAME=value   sets a variable of the task; the value goes to the end of the line
//   unset NAME          clears one
//   print TEXT          writes the line to the task's standard output
//
// Every other line is ignored. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cox {

// Changes the environment (NAME=value each) as the output says. Returns what is to be printed.
std::string apply_prolog_lines(std::string_view output, std::vector<std::string>& environment);

}  // namespace cox
