#include "controller/attempt/worker_questions.h"

#include <algorithm>

namespace cox {

bool may_see(const Caller& caller, const std::vector<Attempt>& attempts) {
  if (caller.kind != Caller::Kind::Worker || caller.node.empty()) return true;
  return std::ranges::any_of(attempts, [&](const Attempt& attempt) {
    return std::ranges::any_of(
        attempt.nodes, [&](const AttemptNode& node) { return node.grant.node == caller.node; });
  });
}

Refusal not_on_node(const std::string& node) {
  return {"no attempt of the job ran on node " + node, ""};
}

}  // namespace cox
