// What a job asks for with --gres, on each of its nodes: GPUs, and whatever else nodes have in
// numbers. Shards of GPUs (shard:2) are counted like any other kind. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/resources/gpu_wish.h"
#include "common/resources/gres_count.h"

namespace cox {

struct GresWish {
  GpuWish gpus;
  std::vector<GresCount> others;  // in the order written; name and type differ; no count is 0

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.gpus, self.others);
  }
  bool operator==(const GresWish&) const = default;
};

// "gpu", "gpu:2", "gpu:h100:2", "gpu:0.25", "shard:2", "fpga:u280:2,nic"; "none" asks for nothing.
// Counts of others than GPUs may end in K, M, G, T or P, which multiply by 1024.
Result<GresWish> parse_gres(std::string_view text);

// parse_gres reads it back when the wish came from it; "none" for nothing.
std::string format_gres(const GresWish& wish);

}  // namespace cox
