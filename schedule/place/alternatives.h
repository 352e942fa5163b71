// Requests that can be served in several ways, by GPUs of other types or by another alternative of
// the constraint. They form a chain, the most wanted one first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/resources/gpu_wish.h"
#include "common/syntax/constraint.h"
#include "schedule/model/request.h"

namespace cox::schedule {

inline constexpr std::size_t alternatives_max = 64;  // of one request

// Whether GPU types that are equally good form one group. With `Apart`, only types that the job
// joins by "+" do.
enum class EqualTypes : std::uint8_t { Together, Apart };

// Returns the GPU types that a job accepts, in groups, the best group first. All GPUs of the job
// come from one group. By speed the fastest type is best. By cost it is the cheapest for the same
// work (price / speed). Balanced, it is the least product of cost and time (price / speed²). A type
// without a price counts at the highest price. A group is as good as the worst of its types.
std::vector<std::vector<std::string>> gpu_groups(std::span<const GpuTypeWish> types,
                                                 std::span<const GpuPrice> prices,
                                                 Preference choice, EqualTypes equal);

// Returns a request like `like` for each group of GPU types and each alternative of the constraint.
// No groups: GPUs of any type.
std::vector<Request> alternatives(const Request& like,
                                  const std::vector<std::vector<std::string>>& gpu_groups,
                                  const Constraint& constraint);

// Links the alternatives by `otherwise`. REQUIRES: at least one.
Shared<Request> chained(std::vector<Request> alternatives);
// Returns each request of the chain without its alternatives.
std::vector<Request> unchained(const Request& chain);

// Which requests by_gpu_type() splits.
enum class DivideByType : std::uint8_t {
  All,      // also requests that name several types
  Untyped,  // requests without a GPU type for several nodes, whose types could differ
  // as Untyped, if some nodes have GPUs of several types: then also requests of one node
  UntypedMixed,
};

// Splits the chain so that each alternative has GPUs of one type. `types`: the types that exist; an
// empty one stands for devices without a type. Once there are alternatives_max alternatives, the
// rest stay as they are.
Shared<Request> by_gpu_type(const Request& chain, std::span<const std::string> types,
                            DivideByType which);

}  // namespace cox::schedule
