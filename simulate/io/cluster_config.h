// Reads the cluster from a coxswain.toml: that of a real cluster, one with [[node]] tables, or the
// file that `cox up` writes, with the files of its workers beside it.
#pragma once

#include <string>

#include "common/base/result.h"
#include "simulate/trace/cluster.h"

namespace cox::simulate {

Result<Cluster> read_cluster_config(const std::string& path);

}  // namespace cox::simulate
