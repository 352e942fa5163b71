// Fuzz target for --constraint. Checks that the formatted constraint is parsed back to the same
// constraint, unless its text is longer than the limits allow.
#include "common/syntax/constraint.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(constraint) {
  const auto wish = parse_constraint(input);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  CHECK(wish->alternatives.size() <= limits::constraint_alternatives_max);
  for (const GangFeatures& gang : wish->alternatives)
    CHECK(gang.counted_nodes() >= 0 && gang.some.size() <= limits::constraint_words_max);
  const auto again = parse_constraint(format_constraint(*wish));
  if (again)
    CHECK(*again == *wish);
  else
    CHECK(again.refusal().fact.find("long") != std::string::npos ||
          again.refusal().fact.find("more than") != std::string::npos);
}

}  // namespace cox
