// The list of partitions of a job, "a,b". Pure.
#pragma once

#include <string_view>
#include <vector>

namespace cox {

// Returns the names in the list, each once, in the order written; skips empty ones.
std::vector<std::string_view> partition_names(std::string_view names);
bool names_partition(std::string_view names, std::string_view partition);

}  // namespace cox
