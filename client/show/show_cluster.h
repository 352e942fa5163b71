// Shows a summary of the cluster, and its QOS. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_cluster(const ClusterView& view, const Screen& screen);
std::string show_qos(const ClusterView& view, const Screen& screen);

}  // namespace cox
