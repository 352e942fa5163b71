// Parses the output of `nvidia-smi topo -m`: which GPUs of this machine are joined by NVLink. If
// any part of the text has an unexpected form, the whole text is ignored. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "common/cluster/gpu_islands.h"

namespace cox {

// Returns groups of GPUs that NVLink joins, directly or through other GPUs; each GPU is in one
// group. None: the text is not the matrix of `gpus` GPUs.
std::optional<GpuGroups> joined_by_nvlink(std::string_view text, std::size_t gpus);

}  // namespace cox
