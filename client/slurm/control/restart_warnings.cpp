#include "client/slurm/control/restart_warnings.h"

#include <algorithm>
#include <vector>

#include "common/base/hostlist.h"
#include "common/base/text.h"

namespace cox {

std::string restart_warnings(const NodeList& before, const NodeList& after) {
  std::vector<std::string> gone;
  for (const PartitionView& one : before.partitions)
    if (std::ranges::find(after.partitions, one.name, &PartitionView::name) ==
        after.partitions.end())
      gone.push_back(one.name);
  std::vector<std::string> alone;
  for (const NodeView& one : after.nodes)
    if (one.partitions.empty()) alone.push_back(one.node.name);
  std::string text;
  if (!gone.empty())
    text += "scontrol: warning: no longer configured: partition " + joined(gone, ", ") +
            "; its pending jobs do not start: 'cox doctor' names them and what to do\n";
  if (!alone.empty())
    text += "scontrol: warning: no partition has " + compress_hostlist(alone) +
            ", so no job can run there: add them to the nodes of a [[partition]]\n";
  return text;
}

}  // namespace cox
