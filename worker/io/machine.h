// This machine as a node: its resources and its address. Read once, when the worker starts. Values
// in the configuration override what is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/cluster/config.h"
#include "common/cluster/node.h"
#include "common/job/resources.h"

namespace cox {

std::string host_name();  // Returns the host name up to the first dot

// Where NVIDIA's driver lists its GPUs.
inline constexpr const char* nvidia_folder = "/proc/driver/nvidia/gpus";

// Returns the GPUs that NVIDIA's driver lists in the folder `place`, see nvidia_folder. One
// that cannot be identified now is left out, and the others keep their numbers. No such folder: no
// GPUs. Refused if the folder cannot be read.
Result<std::vector<GpuDevice>> probe_gpus(const std::string& place);

// Returns the CPUs that this process may use, the memory (of the machine or of its cgroup, the
// smaller one) and the GPUs of the NVIDIA driver in PCI order, with their links from `nvidia-smi
// topo -m`. Configured values replace these. If only links are configured, links of GPUs that the
// driver does not show are left out; if the GPUs are configured too, links of other GPUs are
// refused.
Result<NodeResources> probe_resources(const WorkerConfig& config);

// Returns the current load of the machine; none if the kernel does not report it.
std::optional<NodeLoad> read_load();

// Returns the numeric address of this node: the configured one, else the one from which this
// machine reaches the controller.
Result<std::string> node_address(const WorkerConfig& config);

// Returns log lines about limits that cannot be enforced on this machine.
std::vector<std::string> unenforced();

}  // namespace cox
