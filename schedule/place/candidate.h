// A node that could be part of a gang, while place() chooses among them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/place/badness.h"

namespace cox::schedule {

struct Candidate {
  std::int64_t tasks_max = 0;
  bool required = false;
  Badness badness;

  NodeAt node() const { return badness.node; }
};
using Candidates = std::span<const Candidate>;

// Returns whether some choice of these nodes holds the gang, regardless of topology. Exact.
bool enough(const ResolvedRequest& need, Candidates candidates);

}  // namespace cox::schedule
