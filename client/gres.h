// The GPUs a job asks for, as Slurm writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/result.h"

namespace cox {

struct GpuRequest {
  std::string type;  // empty: any
  std::int64_t count = 0;
  bool operator==(const GpuRequest&) const = default;
};

// --gres: "gpu", "gpu:2", "gpu:h100", "gpu:h100:2"; "none" asks for none.
Result<GpuRequest> parse_gres(std::string_view text);

// --gpus-per-node: "2" or "h100:2".
Result<GpuRequest> parse_gpus(std::string_view text);

}  // namespace cox
