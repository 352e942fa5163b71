// A request that is served in several ways, by GPUs of other types or by another alternative of its
// constraint, as a chain: the first is the one that is wanted most.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/resources/gpu_wish.h"
#include "common/syntax/constraint.h"
#include "schedule/model/request.h"

namespace cox::schedule {

inline constexpr std::size_t alternatives_max = 64;  // of one request

// Whether types that are as good as each other form one group. Apart, only types that the job joins
// by "+" do.
enum class EqualTypes : std::uint8_t { Together, Apart };

// Returns the types of GPU that a job takes, in groups, the best group first; all GPUs of the job
// are from one group. By speed the fastest is best, by cost the cheapest for the same work
// (price / speed), balanced the least product of cost and time (price / speed²). A type without a
// price has the highest there is. A group is as good as the worst of its types.
std::vector<std::vector<std::string>> gpu_groups(std::span<const GpuTypeWish> types,
                                                 std::span<const GpuPrice> prices,
                                                 Preference choice, EqualTypes equal);

// `gpu_groups`: none: of any type.
std::vector<Request> alternatives(const Request& like,
                                  const std::vector<std::vector<std::string>>& gpu_groups,
                                  const Constraint& constraint);

// REQUIRES: one at least.
Shared<Request> chained(std::vector<Request> alternatives);
// Each by itself.
std::vector<Request> unchained(const Request& chain);

// Which requests by_gpu_type() divides.
enum class DivideByType : std::uint8_t {
  All,           // also requests that name several types
  Untyped,       // requests without a type whose nodes could differ
  UntypedMixed,  // the same, where a node has GPUs of several types: one node could differ, too
};

// Returns the chain with GPUs of one type in each alternative, of the types that there are (an
// empty one stands for devices without a type). The last are left as they are where it would be
// more than alternatives_max.
Shared<Request> by_gpu_type(const Request& chain, std::span<const std::string> types,
                            DivideByType which);

}  // namespace cox::schedule
