// Shows a summary of the cluster, and its QOS. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// `nodes`: all nodes, of which those are shown that the system has drained.
std::string show_cluster(const ClusterView& view, const std::vector<NodeView>& nodes,
                         const Screen& screen);
std::string show_qos(const ClusterView& view, const Screen& screen);

}  // namespace cox
