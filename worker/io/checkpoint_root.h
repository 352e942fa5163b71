// Checks whether a folder is the checkpoint folder that all nodes of a cluster share.
#pragma once

#include <string>

namespace cox {

// Returns whether the marker file in the folder names the cluster. Users may write to the folder,
// so the marker counts only if it is a regular file, not a link or a FIFO.
bool is_checkpoint_root(const std::string& folder, const std::string& cluster_name);

}  // namespace cox
