// Fuzz target for --gpus and --gpu-type. Checks that the formatted request is parsed back to the
// same request.
#include "common/resources/gpu_wish.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(gpu_wish) {
  if (const auto gpus = parse_gpus(input, limits::gpus_per_job_max)) {
    CHECK(gpus->count >= 0 && gpus->count <= limits::gpus_per_job_max);
    CHECK(gpus->milli > 0 && gpus->milli <= whole_gpu_milli);
    const auto again = parse_gpus(format_gpus(*gpus), limits::gpus_per_job_max);
    CHECK(again && *again == *gpus);
  } else {
    fuzz::check_refusal(gpus.refusal());
  }
  const auto types = parse_gpu_types(input);
  CHECK(types.ok() == parse_gpu_prices(input).ok());
  if (!types) return fuzz::check_refusal(types.refusal());
  CHECK(!types->empty() && types->size() <= limits::gpu_types_max);
  const auto again = parse_gpu_types(format_gpu_types(*types));
  CHECK(again && *again == *types);
}

}  // namespace cox
