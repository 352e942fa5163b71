#include "client/text/node_faults.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/hostlist.h"

namespace cox {

std::vector<NodeFault> node_faults(const std::vector<NodeView>& nodes) {
  std::vector<NodeFault> faults;
  for (const NodeView& view : nodes) {
    const Node& node = view.node;
    if (node.drained_by == DrainedBy::Nobody || node.drained_by == DrainedBy::Person) continue;
    auto same = std::ranges::find_if(faults, [&node](const NodeFault& fault) {
      return fault.by == node.drained_by && fault.reason == node.reason;
    });
    if (same == faults.end())
      same = faults.insert(same, NodeFault{{}, node.drained_by, node.reason});
    same->nodes.push_back(node.name);
  }
  return faults;
}

std::string fault_text(const NodeFault& fault) {
  const bool is_one = fault.nodes.size() == 1;
  return compress_hostlist(fault.nodes) +
         (is_one ? " is drained for a fault of its own: "
                 : " are drained for a fault of their own: ") +
         fault.reason;
}

std::string fault_hint(const NodeFault& fault) {
  const std::string resume = "'cox resume " + compress_hostlist(fault.nodes) + "'";
  switch (fault.by) {
    case DrainedBy::HealthCheck:
      return "correct what the reason names; the worker then resumes the node by itself";
    case DrainedBy::Failures:
      return "find the cause in the log of cox-worker there, then " + resume;
    case DrainedBy::KillTask:
      return "end the processes that are left there, or restart the host, then " + resume;
    case DrainedBy::PrologEpilog:
      return "correct the program that the reason names, then " + resume;
    case DrainedBy::Nobody:
    case DrainedBy::Person: break;
  }
  CHECK(false && "not drained for a fault");
}

}  // namespace cox
