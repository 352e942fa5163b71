// The variables by which the vendors' libraries choose the GPUs that a process sees. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/variables.h"
#include "common/job/resources.h"

namespace cox {

// Sets the variables that show a process `devices` and no other GPU of its node: for NVIDIA's
// CUDA_VISIBLE_DEVICES, for AMD's ROCR_VISIBLE_DEVICES. Without devices they are set to nothing,
// which hides all GPUs. Removes the variables that would choose once more among what these leave,
// like HIP_VISIBLE_DEVICES. Changes nothing on a node without GPUs.
void show_gpus(Variables& v, const std::vector<GpuDevice>& on_node,
               const std::vector<std::int32_t>& devices);

}  // namespace cox
