// Fuzz target for the variables in a job's environment that pass soft resource limits (ulimit).
// Checks that formatted limits are parsed back to the same limits.
#include "common/job/soft_limits.h"

#include "common/base/text.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(soft_limits) {
  std::vector<std::string> environment;
  for (const std::string_view entry : split(input, '\n')) environment.emplace_back(entry);
  const std::vector<SoftLimit> limits = take_soft_limits(environment);
  const std::string written = soft_limit_variables(limits);
  std::vector<std::string> again;
  for (const std::string_view entry : split(written, '\0'))
    if (!entry.empty()) again.emplace_back(entry);
  CHECK(take_soft_limits(again) == limits && again.empty());
  CHECK(take_soft_limits(environment).empty());
}

}  // namespace cox
