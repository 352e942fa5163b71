// How many nodes a job may run on, as --nodes says it. An elastic gang starts with any number that
// this allows, and changes between them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct NodeRange {
  std::int64_t least = 1;
  std::int64_t most = 1;
  // These numbers alone: ascending, from least to most, with gaps. Empty: any from least to most.
  std::vector<std::int64_t> sizes;

  bool is_fixed() const { return least == most; }
  bool allows(std::int64_t nodes) const;
  // The largest allowed number that is not above `nodes`; 0: there is none.
  std::int64_t largest_within(std::int64_t nodes) const;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.least, self.most, self.sizes);
  }
  bool operator==(const NodeRange&) const = default;
};

// "4", "4-16", "-16" for "1-16", or "4,8,16" in any order. As in Slurm a number may end in k (1024)
// or m (1024 * 1024).
Result<NodeRange> parse_node_range(std::string_view text);

// Ends the refusal of a number that is well written, and larger than limits::nodes_per_job_max.
inline constexpr std::string_view too_many_nodes = "the most nodes that one job may have";

// parse_node_range reads it back.
std::string format_node_range(const NodeRange& range);

}  // namespace cox
