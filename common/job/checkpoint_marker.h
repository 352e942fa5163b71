// A file in the checkpoint folder, by which a worker recognises the folder of its cluster. The
// controller writes the cluster's name into it. A worker that does not find it reports that when it
// starts.
#pragma once

namespace cox {

inline constexpr const char* checkpoint_marker_file = ".coxswain-cluster";

}  // namespace cox
