// The GPUs a job asks for: how many, whole or a part of one, of which types, and what matters when
// the types differ in speed and price. The client reads them from options; the scheduler chooses.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace cox {

inline constexpr std::int64_t whole_gpu_milli = 1000;

// One type that will do. The ratio is this type's throughput for the job, relative to the others'.
struct GpuTypeWish {
  std::string type;
  std::int64_t ratio_milli = 1000;
  bool with_previous = false;  // one gang may have this type and the one before it together

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.type, self.ratio_milli, self.with_previous);
  }
  bool operator==(const GpuTypeWish&) const = default;
};

struct GpuWish {
  std::vector<GpuTypeWish> types;        // in the order written; empty: any type will do
  std::int64_t count = 0;                // 0: none
  std::int64_t milli = whole_gpu_milli;  // of each GPU; less than whole only with count 1

  bool is_whole() const { return milli == whole_gpu_milli; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.types, self.count, self.milli);
  }
  bool operator==(const GpuWish&) const = default;
};

// Parses --gpu-type: "h200", "h200|h100:0.8" (one of these types), "h200+h100:0.8" (both types
// together). A type without a ratio has 1. Types joined by "+" have the same vendor.
Result<std::vector<GpuTypeWish>> parse_gpu_types(std::string_view text);
std::string format_gpu_types(const std::vector<GpuTypeWish>& types);

// --gpus-per-node, --gpus, and what follows "gpu:" in --gres: "2", "h100", "h100:2", "0.25" or
// "h100:0.25", which is a quarter of one GPU. `most` bounds whole ones: limits::gpus_per_node_max,
// or gpus_per_job_max for --gpus.
Result<GpuWish> parse_gpus(std::string_view text, std::int64_t most);

// parse_gpus reads it back when at most one type is wished for. Several are not said in it:
// format_gpu_types says them.
std::string format_gpus(const GpuWish& wish);

// What an hour of one of these costs, in any currency: only their proportions count.
struct GpuPrice {
  std::string type;
  std::int64_t milli = 1000;
};

// "h200:3.6|h100:2.1": each with its price.
Result<std::vector<GpuPrice>> parse_gpu_prices(std::string_view text);

// What to choose by when several types would do. (Slurm has --prefer for wished features.)
enum class Preference : std::uint8_t { Balanced, Cost, Speed };

const std::vector<std::pair<std::string_view, Preference>>& preferences();
std::string_view name(Preference preference);  // "balanced"
Result<Preference> parse_preference(std::string_view text);

}  // namespace cox
