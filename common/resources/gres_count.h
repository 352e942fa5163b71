// An amount of one generic resource: what a node has of it, or what a job asks of each node.
// Pure.
#pragma once

#include <cstdint>
#include <string>

namespace cox {

struct GresCount {
  std::string name;
  std::string type;  // empty: any
  std::int64_t count = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.type, self.count);
  }
  bool operator==(const GresCount&) const = default;
};

}  // namespace cox
