// The numbers of nodes that a job accepts, from --nodes. An elastic gang may start with any of
// these numbers, and with another one when it is started again. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

struct NodeRange {
  std::int64_t least = 1;
  std::int64_t most = 1;
  // If not empty, only these numbers of nodes are accepted. They ascend from `least` to `most`,
  // with gaps.
  std::vector<std::int64_t> sizes;

  bool is_fixed() const { return least == most; }
  bool allows(std::int64_t nodes) const;
  // Returns the largest accepted number of nodes that is at most `nodes`; 0 if there is none.
  std::int64_t largest_within(std::int64_t nodes) const;

  COX_FIELDS(least, most, sizes);
  bool operator==(const NodeRange&) const = default;
};

// Parses "4", "4-16", "-16" (which means "1-16"), or "4,8,16" in any order. As in Slurm, a number
// may end in k (1024) or m (1024 * 1024).
Result<NodeRange> parse_node_range(std::string_view text);

// How the refusal of a valid number above limits::nodes_per_job_max ends.
inline constexpr std::string_view too_many_nodes = "the most nodes that one job may have";

// Writes the form that parse_node_range() reads.
std::string format_node_range(const NodeRange& range);

}  // namespace cox
