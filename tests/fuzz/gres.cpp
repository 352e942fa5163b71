// Fuzz target for --gres. Checks that the formatted request is parsed back to the same request, and
// that every count is within its limit.
#include "common/resources/gres.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(gres) {
  const auto wish = parse_gres(input);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  CHECK(wish->others.size() <= limits::gres_kinds_max);
  for (const GresCount& other : wish->others)
    CHECK(other.count > 0 && other.count <= limits::gres_count_max);
  CHECK(wish->gpus.count >= 0 && wish->gpus.count <= limits::gpus_per_node_max);
  const auto again = parse_gres(format_gres(*wish));
  CHECK(again && *again == *wish);
}

}  // namespace cox
