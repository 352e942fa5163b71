// Node lists: what they stand for is written again as it was meant, and is never too much.
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
