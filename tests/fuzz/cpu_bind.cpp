// Fuzz target for --cpu-bind. srun passes a binding to the nodes in two variables. Checks that
// these are parsed to the same binding.
#include "common/syntax/cpu_bind.h"

#include "tests/fuzz/target.h"

namespace cox {
namespace {

constexpr std::size_t entries_max = 8192;

}  // namespace

FUZZ_TARGET(cpu_bind) {
  const auto bind = parse_cpu_bind(input);
  if (!bind) return fuzz::check_refusal(bind.refusal());
  CHECK(bind->list.size() <= entries_max);
  for (const IdSet& entry : bind->list)
    CHECK(!entry.empty() && entry.front() >= 0 && entry.back() < 1024);
  const auto again = parse_cpu_bind(type_text(*bind) + list_text(*bind));
  CHECK(again && again->kind == bind->kind && again->list == bind->list);
  CHECK(again->unit == bind->unit);
}

}  // namespace cox
