#include "common/resources/gpu_vendor.h"

#include <string>

#include "common/base/text.h"

namespace cox {

GpuVendor gpu_vendor(std::string_view type) {
  const std::string name = lower_case(std::string(type));
  const bool is_mi = name.size() > 2 && name.starts_with("mi") && name[2] >= '0' && name[2] <= '9';
  for (const std::string_view word : {"amd", "instinct", "radeon", "gfx"})
    if (name.starts_with(word)) return GpuVendor::Amd;
  return is_mi ? GpuVendor::Amd : GpuVendor::Nvidia;
}

}  // namespace cox
