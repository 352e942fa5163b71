// What `nvidia-smi topo -m` tells: which GPUs of this machine are joined by NVLink. Pure; the text
// is another program's and is believed only as a whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/cluster/gpu_islands.h"

namespace cox {

// GPUs joined directly or through others, each GPU in one group. Empty when the text is not the
// matrix of so many GPUs: then nothing is known.
std::optional<GpuGroups> joined_by_nvlink(std::string_view text, std::size_t gpus);

}  // namespace cox
