// Fuzz target for lists of TRES such as cpu=4,mem=100. Checks that the formatted list is parsed
// back to the same list.
#include "common/resources/tres.h"

#include "common/base/limits.h"
#include "tests/fuzz/target.h"

namespace cox {
namespace {

void check_tres(const Result<TresList>& list, Result<TresList> (*parse)(std::string_view)) {
  if (!list) return fuzz::check_refusal(list.refusal());
  CHECK(list->size() <= limits::tres_per_list_max);
  for (const TresCount& one : *list) CHECK(one.count >= 0);
  const auto again = parse(format_tres(*list));
  CHECK(again && *again == *list);
}

}  // namespace

FUZZ_TARGET(tres) {
  check_tres(parse_tres(input), parse_tres);
  check_tres(parse_tres_by_hours(input), parse_tres_by_hours);
  const auto weights = parse_billing_weights(input);
  if (!weights) return fuzz::check_refusal(weights.refusal());
  for (const BillingWeight& each : *weights) CHECK(each.milli >= 0);
}

}  // namespace cox
