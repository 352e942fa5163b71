// Fuzz target for node lists such as n[1-4]. Checks that the expanded names, compressed again, give
// a list of the same names, and that their number is within its limit.
#include "common/base/hostlist.h"

#include <algorithm>

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(hostlist) {
  const auto names = expand_hostlist(input);
  if (!names) return fuzz::check_refusal(names.refusal());
  CHECK(!names->empty() && names->size() <= limits::hostlist_nodes_max);
  CHECK(std::ranges::all_of(*names, is_host_name));
  const std::string text = compress_hostlist(*names);
  const auto again = expand_hostlist(text);
  CHECK(again && *again == *names);
  CHECK(compress_hostlist(*again) == text);
  auto sorted = *names;
  sort_hostnames(sorted);
  CHECK(std::ranges::is_sorted(sorted, host_name_before));
  CHECK(!host_name_before(sorted.front(), sorted.front()));
}

}  // namespace cox
