// A count of one generic resource: what a node has, or what a job requests on each of its nodes.
// Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/fields.h"

namespace cox {

struct GresCount {
  std::string name;
  std::string type;  // empty: any
  std::int64_t count = 0;

  COX_FIELDS(name, type, count);
  bool operator==(const GresCount&) const = default;
};

}  // namespace cox
