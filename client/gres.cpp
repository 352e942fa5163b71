#include "client/gres.h"

#include <algorithm>
#include <cstddef>

#include "client/count_format.h"
#include "common/hostlist.h"
#include "common/limits.h"
#include "common/text.h"

namespace cox {
namespace {

Result<std::int64_t> parse_gpu_count(std::string_view text) {
  return parse_count(text, 0, limits::gpus_per_node_max);
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// "2", "h100" or "h100:2"
Result<GpuRequest> parse_type_and_count(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool count_alone = colon == std::string_view::npos && begins_with_digit(text);
  const std::string_view type = count_alone ? std::string_view() : text.substr(0, colon);
  if (!count_alone && !is_host_name(type))
    return Refusal{quoted(type) + " is not a type of GPU",
                   "ask for a number of GPUs on each node, like gpu:2 or gpu:h100:2"};
  if (!count_alone && colon == std::string_view::npos) return GpuRequest{std::string(type), 1};
  const std::string_view digits = count_alone ? text : text.substr(colon + 1);
  const Result<std::int64_t> count = parse_gpu_count(digits);
  if (!count)
    return Refusal{"the number of GPUs: " + count.refusal().fact,
                   "ask for a number of GPUs on each node, like gpu:2 or gpu:h100:2"};
  return GpuRequest{std::string(type), *count};
}

}  // namespace

Result<GpuRequest> parse_gres(std::string_view text) {
  if (text == "none" || text == "NONE") return GpuRequest{};
  if (text.find(',') != std::string_view::npos)
    return Refusal{quoted(text) + " asks for several kinds of resources, and a job may have one",
                   "ask for one type of GPU, like gpu:h100:2"};
  const std::size_t colon = text.find(':');
  if (text.substr(0, colon) != "gpu")
    return Refusal{quoted(text) + " is not a resource this version knows",
                   "the one there is, is gpu: gpu:2 or gpu:h100:2"};
  if (colon == std::string_view::npos) return GpuRequest{"", 1};
  return parse_type_and_count(text.substr(colon + 1));
}

Result<GpuRequest> parse_gpus(std::string_view text) {
  return parse_type_and_count(text);
}

}  // namespace cox
