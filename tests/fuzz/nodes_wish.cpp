// Fuzz target for --nodes, --switches and --topology. Checks that the formatted request is parsed
// back to the same request.
#include "common/base/limits.h"
#include "common/syntax/node_range.h"
#include "common/syntax/topology_wish.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

template <class Wish>
void check_wish(std::string_view text, Result<Wish> (*parse)(std::string_view),
                std::string (*format)(const Wish&)) {
  const Result<Wish> wish = parse(text);
  if (!wish) return fuzz::check_refusal(wish.refusal());
  const Result<Wish> again = parse(format(*wish));
  CHECK(again && *again == *wish);
}

}  // namespace

FUZZ_TARGET(nodes_wish) {
  check_wish(input, parse_node_range, format_node_range);
  check_wish(input, parse_switches, format_switches);
  check_wish(input, parse_topology_wish, format_topology_wish);
  const auto range = parse_node_range(input);
  if (!range) return;
  CHECK(range->least >= 1 && range->least <= range->most);
  CHECK(range->most <= limits::nodes_per_job_max && range->sizes.size() <= limits::node_sizes_max);
  CHECK(range->allows(range->least) && range->allows(range->most));
  CHECK(!range->allows(range->least - 1) && !range->allows(range->most + 1));
}

}  // namespace cox
