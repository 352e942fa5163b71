// The vendor of a GPU, and the variables by which the vendor's libraries choose the GPUs that a
// process sees. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/job_variables.h"
#include "common/resources.h"

namespace cox {

enum class GpuVendor : std::uint8_t { Nvidia, Amd };

// Returns the vendor by the type's name: "mi300x", "instinct" and "gfx942" are AMD's. All other
// types, and GPUs without a type, count as NVIDIA's.
GpuVendor gpu_vendor(std::string_view type);

// Sets the variables that show a process `devices` and no other GPU of its node: for NVIDIA's
// CUDA_VISIBLE_DEVICES, for AMD's ROCR_VISIBLE_DEVICES. Without devices they are set to nothing,
// which hides all GPUs. Removes the variables that would choose once more among what these leave,
// like HIP_VISIBLE_DEVICES. Changes nothing on a node without GPUs.
void show_gpus(Variables& v, const std::vector<GpuDevice>& on_node,
               const std::vector<std::int32_t>& devices);

}  // namespace cox
