// The GPUs that a job requests: how many, whole GPUs or a part of one, of which types, and the
// job's preference if the types differ in speed and price. The client parses them from options; the
// scheduler chooses among the types. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

inline constexpr std::int64_t whole_gpu_milli = 1000;

// A type of GPU that the job accepts. The ratio is the job's speed on this type relative to the
// other types, in thousandths.
struct GpuTypeWish {
  std::string type;
  std::int64_t ratio_milli = 1000;
  // Joined by "+": one gang may have GPUs of this type and of the one before.
  bool with_previous = false;

  COX_FIELDS(type, ratio_milli, with_previous);
  bool operator==(const GpuTypeWish&) const = default;
};

struct GpuWish {
  std::vector<GpuTypeWish> types;        // accepted types, in the order written; empty: any type
  std::int64_t count = 0;                // 0: none
  std::int64_t milli = whole_gpu_milli;  // thousandths of each GPU; below 1000 only if count is 1

  bool is_whole() const { return milli == whole_gpu_milli; }

  COX_FIELDS(types, count, milli);
  bool operator==(const GpuWish&) const = default;
};

// Parses the value of --gpu-type: "h200"; "h200|h100:0.8" is one of these types, with 0.8 of the
// speed on the second one; "h200+h100:0.8" may be both types together. A type without a ratio has
// 1. Types joined by "+" must have the same vendor.
Result<std::vector<GpuTypeWish>> parse_gpu_types(std::string_view text);
// Writes types in the form that parse_gpu_types() reads.
std::string format_gpu_types(const std::vector<GpuTypeWish>& types);

// Parses the value of --gpus-per-node or --gpus, or the text after "gpu:" in --gres: "2", "h100",
// "h100:2"; "0.25" or "h100:0.25" is a quarter of one GPU. `most` is the largest number of whole
// GPUs: limits::gpus_per_node_max, or gpus_per_job_max for --gpus.
Result<GpuWish> parse_gpus(std::string_view text, std::int64_t most);

// Writes a wish in the form that parse_gpus() reads. If there are several types it leaves them out;
// format_gpu_types() writes those.
std::string format_gpus(const GpuWish& wish);

// The price of one GPU of a type for an hour, times 1000. The currency is arbitrary, since only
// proportions count.
struct GpuPrice {
  std::string type;
  std::int64_t milli = 1000;

  COX_FIELDS(type, milli);
};

// Parses "h200:3.6|h100:2.1": types, each with its price.
Result<std::vector<GpuPrice>> parse_gpu_prices(std::string_view text);

// By what to choose among several accepted types of GPU. (Slurm's --prefer is about features.)
enum class Preference : std::uint8_t { Balanced, Cost, Speed };

const std::vector<std::pair<std::string_view, Preference>>& preferences();
std::string_view name(Preference preference);  // "balanced"
Result<Preference> parse_preference(std::string_view text);

}  // namespace cox
