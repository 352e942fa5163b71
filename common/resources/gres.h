// The generic resources that a job requests on each of its nodes with --gres: GPUs, and other
// countable resources of nodes. Shards of GPUs (shard:2) are one of these others. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"
#include "common/resources/gpu_wish.h"
#include "common/resources/gres_count.h"

namespace cox {

struct GresWish {
  GpuWish gpus;
  // In the order written, each name and type once; counts are above 0.
  std::vector<GresCount> others;

  COX_FIELDS(gpus, others);
  bool operator==(const GresWish&) const = default;
};

// Parses the value of --gres: "gpu", "gpu:2", "gpu:h100:2", "gpu:0.25", "shard:2" or
// "fpga:u280:2,nic"; "none" requests nothing. A count, except of GPUs, may end in K, M, G, T or P,
// which multiply it by powers of 1024.
Result<GresWish> parse_gres(std::string_view text);

// Writes a wish in the form that parse_gres() reads; an empty one is "none".
std::string format_gres(const GresWish& wish);

}  // namespace cox
