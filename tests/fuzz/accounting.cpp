// Fuzz target for the words of sacctmgr, which an administrator may also send as one SQL text.
// Checks that quoting and splitting valid words gives the same words.
#include "common/base/limits.h"
#include "common/syntax/accounting_request.h"
#include "tests/fuzz/target.h"

namespace cox {

FUZZ_TARGET(accounting) {
  const auto words = split_words(input);
  if (!words) return fuzz::check_refusal(words.refusal());
  const auto request = parse_accounting(*words);
  if (!request) return fuzz::check_refusal(request.refusal());
  CHECK(request->where.size() + request->set.size() <= limits::accounting_words_max);
  const auto again = split_words(quoted_words(*words));
  CHECK(again && *again == *words);
  const auto same = parse_accounting(*again);
  CHECK(same && *same == *request);
}

}  // namespace cox
