// The file in the checkpoint folder by which a worker knows that it sees the cluster's: the
// controller writes it, with the cluster's name in it, and a worker that does not find it says so
// at start.
#pragma once

namespace cox {

inline constexpr const char* checkpoint_marker_file = ".coxswain-cluster";

}  // namespace cox
