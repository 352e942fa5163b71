// Fuzz target for --licenses. Checks that the formatted request is parsed back to the same request.
#include "common/resources/licence.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(licence) {
  const auto licences = parse_licences(input);
  if (!licences) return fuzz::check_refusal(licences.refusal());
  CHECK(!licences->empty() && licences->size() <= limits::licences_per_job_max);
  for (const LicenceCount& each : *licences)
    CHECK(each.count >= 1 && each.count <= limits::licence_count_max);
  const auto again = parse_licences(format_licences(*licences));
  CHECK(again && *again == *licences);
}

}  // namespace cox
