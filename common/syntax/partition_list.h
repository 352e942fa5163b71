// The partitions that a job names: "a,b". Pure.
#pragma once

#include <string_view>
#include <vector>

namespace cox {

// Each once, in their order; empty words are left out.
std::vector<std::string_view> partition_names(std::string_view names);
bool names_partition(std::string_view names, std::string_view partition);

}  // namespace cox
