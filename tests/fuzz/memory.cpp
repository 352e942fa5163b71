// Fuzz target for sizes of memory. Checks that parsed sizes are within the limit, in whatever unit
// they are written.
#include "client/text/size_format.h"
#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(memory) {
  const auto mb = parse_memory_mb(input);
  if (!mb) return fuzz::check_refusal(mb.refusal());
  CHECK(*mb >= 0 && *mb <= limits::memory_mb_per_node_max);
  const auto again = parse_memory_mb(std::to_string(*mb));
  CHECK(again && *again == *mb);
}

}  // namespace cox
