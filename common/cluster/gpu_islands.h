// The islands of a node: groups of GPUs that NVLink, NVSwitch or xGMI links to each other. They are
// the level below the node in the topology. A worker detects them, or its settings define them. The
// scheduler keeps jobs inside an island where possible. Pure.
//
// All eight GPUs of an HGX board are one island; two bridged cards are one; a card without links is
// an island of its own. If nothing is known, all GPUs of a node count as linked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/job/resources.h"

namespace cox {

// The name of this level of the topology, as in --topology=required:nvlink. It is the same for
// every kind of link.
inline constexpr std::string_view gpu_island_level = "nvlink";

// Groups of linked GPUs: the indices of their devices on the node, ascending in each group.
using GpuGroups = std::vector<std::vector<std::int32_t>>;

// Parses the setting gpu_links, such as ["0-3", "4,5"]; no GPU may occur twice. The text of a
// refusal continues "gpu_links ".
Result<GpuGroups> parse_gpu_groups(const std::vector<std::string>& texts);

// Makes each group an island, and each other GPU an island of its own. Without any group it changes
// nothing, because then it is unknown which GPUs are linked. Refuses a group with a GPU that does
// not exist.
Failure join_gpus(const GpuGroups& groups, std::vector<GpuDevice>& gpus);

// Returns the islands as text: "0-3 4-7"; "" if it is unknown which GPUs are linked.
std::string format_gpu_islands(const std::vector<GpuDevice>& gpus);

}  // namespace cox
