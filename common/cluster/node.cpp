#include "common/cluster/node.h"

#include "common/base/check.h"

namespace cox {

std::string_view name(DrainedBy by) {
  switch (by) {
    case DrainedBy::Nobody: return "nobody";
    case DrainedBy::Person: return "person";
    case DrainedBy::HealthCheck: return "health_check";
    case DrainedBy::Failures: return "failures";
    case DrainedBy::KillTask: return "kill_task";
    case DrainedBy::PrologEpilog: return "prolog_epilog";
  }
  CHECK(false && "unknown DrainedBy");
}

}  // namespace cox
