// The identifiers that travel in messages, rows and logs. Each is a type of its own, so that a job
// is never taken for an attempt.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace cox {

template <class Tag, class Rep>
struct Id {
  Rep value{};
  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  constexpr auto operator<=>(const Id&) const = default;
};

using JobId = Id<struct JobTag, std::int64_t>;
using AttemptNumber = Id<struct AttemptTag, std::int32_t>;  // 0: none yet; the first try is 1
using Term = Id<struct TermTag, std::int64_t>;              // one leadership of a controller
using TurnNumber = Id<struct TurnTag, std::int64_t>;

// One try at running a job. Every message about a running job carries it.
struct AttemptKey {
  JobId job;
  AttemptNumber attempt;
  constexpr auto operator<=>(const AttemptKey&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.attempt);
  }
};

}  // namespace cox

template <class Tag, class Rep>
struct std::hash<cox::Id<Tag, Rep>> {
  std::size_t operator()(const cox::Id<Tag, Rep>& id) const { return std::hash<Rep>{}(id.value); }
};
