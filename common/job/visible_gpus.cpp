#include "common/job/visible_gpus.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/resources/gpu_vendor.h"

namespace cox {
namespace {

constexpr std::pair<GpuVendor, const char*> visible_devices[] = {
    {GpuVendor::Nvidia, "CUDA_VISIBLE_DEVICES"}, {GpuVendor::Amd, "ROCR_VISIBLE_DEVICES"}};

// Variables that HIP applies to the devices that ROCR_VISIBLE_DEVICES leaves (as it does with
// CUDA_VISIBLE_DEVICES). They must not be set, because device 2 of the node may not be among these.
constexpr const char* second_choice[] = {"HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};

// Returns the number of a device as the driver of its vendor counts: among the node's devices of
// that vendor.
std::int32_t number_of(const std::vector<GpuDevice>& on_node, const GpuDevice& device) {
  const auto earlier = std::ranges::count_if(on_node, [&](const GpuDevice& other) {
    return gpu_vendor(other.type) == gpu_vendor(device.type) && other.index < device.index;
  });
  const bool one_vendor = std::ranges::all_of(on_node, [&](const GpuDevice& other) {
    return gpu_vendor(other.type) == gpu_vendor(device.type);
  });
  return one_vendor ? device.index : static_cast<std::int32_t>(earlier);
}

std::string devices_of(GpuVendor vendor, const std::vector<GpuDevice>& on_node,
                       const std::vector<std::int32_t>& devices) {
  std::vector<std::int32_t> numbers;
  for (const std::int32_t index : devices) {
    const auto device = std::ranges::find(on_node, index, &GpuDevice::index);
    if (device != on_node.end() && gpu_vendor(device->type) == vendor)
      numbers.push_back(number_of(on_node, *device));
  }
  return comma_list(numbers);
}

}  // namespace

void show_gpus(Variables& v, const std::vector<GpuDevice>& on_node,
               const std::vector<std::int32_t>& devices) {
  if (on_node.empty() && devices.empty()) return;
  for (const auto& [vendor, name] : visible_devices) v.erase(name);
  for (const char* name : second_choice) v.erase(name);
  // A controller of the previous version does not send the GPUs of the node, so NVIDIA is assumed.
  if (on_node.empty()) v["CUDA_VISIBLE_DEVICES"] = comma_list(devices);
  for (const auto& [vendor, name] : visible_devices)
    if (std::ranges::any_of(on_node,
                            [&](const GpuDevice& gpu) { return gpu_vendor(gpu.type) == vendor; }))
      v[name] = devices_of(vendor, on_node, devices);
}

}  // namespace cox
