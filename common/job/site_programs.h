// The programs of the site that run on a node around jobs and their tasks, as [worker] of
// coxswain.toml names them: Slurm's Prolog, Epilog, TaskProlog and TaskEpilog, and the command that
// runs tasks in containers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"

namespace cox {

struct SitePrograms {
  std::string prolog;  // path of the prolog, as the three below; empty: none
  std::string epilog;
  std::string task_prolog;
  std::string task_epilog;
  std::int64_t timeout_ms = 300'000;  // after this time each of the four programs above is killed
  // Command that runs a task in a container (container.h); empty: none.
  std::vector<std::string> container_command{};

  COX_FIELDS(prolog, epilog, task_prolog, task_epilog, timeout_ms, container_command);
  bool operator==(const SitePrograms&) const = default;
};

// Returns why a program that was killed at its time limit has failed: "it did not end within 2 s".
inline std::string late_text(std::int64_t limit_ms) {
  const bool is_whole = limit_ms % 1000 == 0;
  return "it did not end within " +
         (is_whole ? std::to_string(limit_ms / 1000) + " s" : std::to_string(limit_ms) + " ms");
}

}  // namespace cox
