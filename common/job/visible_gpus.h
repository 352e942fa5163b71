// The variables by which the vendors' libraries select the GPUs that a process sees. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/variables.h"
#include "common/job/resources.h"

namespace cox {

// Sets the variables so that a process sees only the GPUs `devices` of its node:
// CUDA_VISIBLE_DEVICES for NVIDIA, ROCR_VISIBLE_DEVICES for AMD. If `devices` is empty, they are
// set to an empty text, which hides all GPUs. Removes variables like HIP_VISIBLE_DEVICES, which
// would select again among these GPUs. Changes nothing on a node without GPUs.
void show_gpus(Variables& v, const std::vector<GpuDevice>& on_node,
               const std::vector<std::int32_t>& devices);

}  // namespace cox
