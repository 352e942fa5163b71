// The licences a job holds while it runs, as Slurm's --licenses writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct LicenceCount {
  std::string name;  // "matlab", "matlab@server"
  std::int64_t count = 1;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.count);
  }
  bool operator==(const LicenceCount&) const = default;
};

// "matlab:2,ansys": all of them are needed, each named once; a name alone is one.
Result<std::vector<LicenceCount>> parse_licences(std::string_view text);

// parse_licences reads it back.
std::string format_licences(const std::vector<LicenceCount>& licences);

}  // namespace cox
