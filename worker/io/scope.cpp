#include "worker/io/scope.h"

#include "common/io/clock.h"

namespace cox {
namespace {

// Random bytes in the scope's name: each start of a worker makes a new scope.
constexpr int name_bytes = 8;

}  // namespace

std::vector<std::string> scope_words(const std::string& node) {
  return {"/usr/bin/systemd-run",
          "--scope",
          "--quiet",
          "--collect",
          "--unit=coxswain-jobs-" + random_hex(name_bytes),
          "--description=Coxswain jobs of node " + node,
          "--property=Delegate=yes",
          "--property=TasksMax=infinity",
          "--property=DefaultDependencies=no",
          "--"};
}

}  // namespace cox
