// Which GPUs of a node are joined to each other by NVLink, NVSwitch or xGMI: its islands, the level
// below the node in the topology. A worker finds them or is told; the scheduler keeps jobs inside
// them where it can. Pure.
//
//   all eight of an HGX board are one island; two bridged cards are one; a card without links is
//   an island of its own. Where nothing is known, all GPUs of a node count as joined.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/job/resources.h"

namespace cox {

// As --topology=required:nvlink calls it, whatever joins them.
inline constexpr std::string_view gpu_island_level = "nvlink";

// Device indices, ascending in each.
using GpuGroups = std::vector<std::vector<std::int32_t>>;

// ["0-3", "4,5"]: no GPU twice. The fact of a refusal goes on from "gpu_links ".
Result<GpuGroups> parse_gpu_groups(const std::vector<std::string>& texts);

// Each group becomes an island, and so does each GPU that is in none. Without groups nothing is
// known and nothing changes. Refuses a group with a GPU that is not there.
Failure join_gpus(const GpuGroups& groups, std::vector<GpuDevice>& gpus);

// "0-3 4-7"; "" where nothing is known.
std::string format_gpu_islands(const std::vector<GpuDevice>& gpus);

}  // namespace cox
