// The environment variables of a process, by name. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cox {

using Variables = std::map<std::string, std::string, std::less<>>;

// Parses a block of NAME=value\0 entries, as it was submitted with a job.
Variables users_variables(const std::string& block);

std::vector<std::string> entries_of(const Variables& v);  // NAME=value

}  // namespace cox
