// The licences that a job requests and holds while it runs, in the form of Slurm's --licenses.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

struct LicenceCount {
  std::string name;  // "matlab", "matlab@server"
  std::int64_t count = 1;

  COX_FIELDS(name, count);
  bool operator==(const LicenceCount&) const = default;
};

// Parses a list like "matlab:2,ansys". The job needs all of them. Each name may occur once; without
// a number the count is 1.
Result<std::vector<LicenceCount>> parse_licences(std::string_view text);

// Writes licences in the form that parse_licences() reads.
std::string format_licences(const std::vector<LicenceCount>& licences);

}  // namespace cox
