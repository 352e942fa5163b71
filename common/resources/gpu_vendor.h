// The vendor of a GPU, by the name of its type. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace cox {

enum class GpuVendor : std::uint8_t { Nvidia, Amd };

// Returns the vendor by the type's name: "mi300x", "instinct" and "gfx942" are AMD's. All other
// types, and GPUs without a type, count as NVIDIA's.
GpuVendor gpu_vendor(std::string_view type);

}  // namespace cox
