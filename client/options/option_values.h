// Validates values of options; shared by the option tables. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/options/option_row.h"
#include "common/base/result.h"

namespace cox {

// Accepts a whole number from 1 to `most`.
Failure set_count(std::string_view value, std::int64_t most, std::int64_t& into);

// Accepts a text of 1 to `bytes_max` bytes in UTF-8, without control characters.
Failure set_text(std::string_view value, std::size_t bytes_max, std::string& into);

// Expands a hostlist. Stores each node name once, sorted.
Failure set_node_names(std::string_view value, std::vector<std::string>& into);
// Parses --nodelist. As in Slurm, a value that contains "/" is the path of a file of node names
// (host_file.h) and goes to `file`; any other value is a hostlist and goes to `names`.
Failure set_nodes_or_file(std::string_view value, std::vector<std::string>& names,
                          std::string& file);

// Parses --propagate: names of soft limits (common/job/soft_limits.h). An empty value means ALL.
Failure set_propagated(std::string_view value, std::string& into);

// These two get the value of --exclusive, in upper or lower case, or an empty text if it has no
// value. check_exclusive() refuses the values of Slurm that Coxswain does not support.
// is_exclusive() returns whether the value requests whole nodes.
Failure check_exclusive(std::string_view value);
bool is_exclusive(std::string_view value);

// Parses --open-mode: "append", "truncate", or the first letter of either.
Failure set_append(std::string_view value, bool& into);

// These templates make setters of option rows from the functions above.
template <std::size_t bytes_max>
Failure set_bounded_text(std::string_view value, std::string& into) {
  return set_text(value, bytes_max, into);
}
template <std::int64_t most, class Count>
Failure set_bounded_count(std::string_view value, Count& into) {
  return set_count(value, most, into);
}
template <std::size_t bytes_max, auto... steps>
inline constexpr auto text_into = set_by<set_bounded_text<bytes_max>, steps...>;
template <std::int64_t most, auto... steps>
inline constexpr auto count_into = set_by<set_bounded_count<most, std::int64_t>, steps...>;

}  // namespace cox
