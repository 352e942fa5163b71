// A node: the row of cox.node, the controller's memory of it, and what clients are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/resources.h"
#include "common/time.h"

namespace cox {

struct Node {
  std::string name;
  NodeResources total;
  std::vector<std::string> features;
  std::string address;       // numeric
  std::string log_endpoint;  // where its worker answers readers of logs
  std::string log_key;       // CURVE public key (Z85) of that endpoint
  std::string boot_id;
  std::string version;
  bool drained = false;     // by a person: no new work
  bool responding = false;  // heard within node_timeout
  std::string reason;       // of the drain or the silence
  Wall changed{};
  std::int64_t weight = 1;  // of nodes that would do the lighter are taken first

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.total, self.features, self.address, self.log_endpoint, self.log_key,
          self.boot_id, self.version, self.drained, self.responding, self.reason, self.changed,
          self.weight);
  }
  bool operator==(const Node&) const = default;
};

}  // namespace cox
