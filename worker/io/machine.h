// This machine as a node: what it has and where it can be reached. Read once, at the worker's
// start; what the configuration says wins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/cluster/node.h"
#include "common/job/resources.h"

namespace cox {

std::string host_name();  // short: up to the first dot

// CPUs this process may use, memory (of the machine or its cgroup, whichever is less), GPUs of the
// NVIDIA driver in PCI order with what `nvidia-smi topo -m` tells of their links; each as
// configured, if it is. Refuses links of GPUs that are not there.
Result<NodeResources> probe_resources(const WorkerConfig& config);

// Returns the current load of the machine; none if the kernel does not report it.
std::optional<NodeLoad> read_load();

// Numeric: as configured, else the address from which this machine reaches the controller.
Result<std::string> node_address(const WorkerConfig& config);

// What cannot be enforced here, one line each, to be logged at start.
std::vector<std::string> unenforced();

}  // namespace cox
