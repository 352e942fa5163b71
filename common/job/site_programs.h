// The programs of the site that run on a node around jobs and their tasks, as [worker] of
// coxswain.toml names them: Slurm's Prolog, Epilog, TaskProlog and TaskEpilog, and the command that
// runs tasks in containers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cox {

struct SitePrograms {
  std::string prolog;  // each a path; empty: there is none
  std::string epilog;
  std::string task_prolog;
  std::string task_epilog;
  std::int64_t timeout_ms = 300'000;  // each of these four programs is killed after this time
  std::vector<std::string> container_command{};  // container.h; empty: no containers

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.prolog, self.epilog, self.task_prolog, self.task_epilog, self.timeout_ms,
          self.container_command);
  }
  bool operator==(const SitePrograms&) const = default;
};

// Returns how one ended that was killed for its time: "it did not end within 2 s".
inline std::string late_text(std::int64_t limit_ms) {
  const bool is_whole = limit_ms % 1000 == 0;
  return "it did not end within " +
         (is_whole ? std::to_string(limit_ms / 1000) + " s" : std::to_string(limit_ms) + " ms");
}

}  // namespace cox
