// The identifiers in messages, rows and logs. Each is a type of its own, so that a job cannot be
// mistaken for an attempt.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

#include "common/base/fields.h"

namespace cox {

template <class Tag, class Rep>
struct Id {
  Rep value{};
  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  constexpr auto operator<=>(const Id&) const = default;
};

using JobId = Id<struct JobTag, std::int64_t>;
// The first attempt is 1; 0: no attempt yet.
using AttemptNumber = Id<struct AttemptTag, std::int32_t>;
using Term = Id<struct TermTag, std::int64_t>;  // number of one leadership of a controller
using TurnNumber = Id<struct TurnTag, std::int64_t>;

// Identifies one attempt, which is one try at running a job. Every message about a running job has
// it.
struct AttemptKey {
  JobId job;
  AttemptNumber attempt;
  constexpr auto operator<=>(const AttemptKey&) const = default;

  COX_FIELDS(job, attempt);
};

}  // namespace cox

template <class Tag, class Rep>
struct std::hash<cox::Id<Tag, Rep>> {
  std::size_t operator()(const cox::Id<Tag, Rep>& id) const { return std::hash<Rep>{}(id.value); }
};
