// The values of options, judged as they are read: what the tables of options have in common. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

Failure set_count(std::string_view value, std::int64_t most, std::int64_t& into);  // from 1 on

// Not empty, printable, UTF-8.
Failure set_text(std::string_view value, std::size_t bytes_max, std::string& into);

// The names that a hostlist stands for, each once.
Failure set_node_names(std::string_view value, std::vector<std::string>& into);
// Parses --nodelist. As in Slurm, a value that contains "/" is a file of names (host_file.h).
Failure set_nodes_or_file(std::string_view value, std::vector<std::string>& names,
                          std::string& file);

// Parses names of soft limits (common/job/soft_limits.h). An empty value means ALL.
Failure set_propagated(std::string_view value, std::string& into);

// These two read the value of --exclusive, in any case of letters; it may be empty. The first
// accepts the words of Slurm that Coxswain honours; the second returns whether it means whole
// nodes.
Failure check_exclusive(std::string_view value);
bool is_exclusive(std::string_view value);

// "append", "truncate"
Failure set_append(std::string_view value, bool& into);

}  // namespace cox
