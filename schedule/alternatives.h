// A request that is served in several ways, by GPUs of other types or by another alternative of its
// constraint, as a chain: the first is the one that is wanted most.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/constraint.h"
#include "common/gpu_wish.h"
#include "schedule/plan.h"

namespace cox::schedule {

inline constexpr std::size_t alternatives_max = 64;  // of one request

// Of one job, the types of GPU that it takes, those that are as good as each other together, the
// best first; a gang takes its GPUs from one such group. By speed the fastest is best, by cost the
// cheapest for the same work (price / speed), balanced the least product of cost and time
// (price / speed²). A type without a price has the highest there is.
std::vector<std::vector<std::string>> gpu_groups(std::span<const GpuTypeWish> types,
                                                 std::span<const GpuPrice> prices,
                                                 Preference choice);

// `gpu_groups`: none: of any type.
std::vector<Request> alternatives(const Request& like,
                                  const std::vector<std::vector<std::string>>& gpu_groups,
                                  const Constraint& constraint);

// REQUIRES: one at least.
Shared<Request> chained(std::vector<Request> alternatives);
// Each by itself.
std::vector<Request> unchained(const Request& chain);

// The same with GPUs of one type in each alternative, of those that there are (one that is empty:
// devices that do not say). The last are left as they are where it would be more than
// alternatives_max.
Shared<Request> by_gpu_type(const Request& chain, std::span<const std::string> types);

}  // namespace cox::schedule
