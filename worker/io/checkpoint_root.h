// Recognises the folder for checkpoints that all nodes of a cluster share.
#pragma once

#include <string>

namespace cox {

// Whether the marker in the folder names the cluster. Users may write to the folder, so the marker
// counts only if it is a regular file there, and not a link or a FIFO.
bool is_checkpoint_root(const std::string& folder, const std::string& cluster_name);

}  // namespace cox
