// Fuzz target for files of node names (SLURM_HOSTFILE). Checks that each name is valid, and that
// their number is within the limit.
#include "client/options/host_file.h"

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(host_file) {
  const auto names = parse_host_file(input, "hosts");
  if (!names) return fuzz::check_refusal(names.refusal());
  CHECK(!names->empty() && names->size() <= limits::hostlist_nodes_max);
  for (const std::string& name : *names) CHECK(is_host_name(name));
}

}  // namespace cox
