// All processes of one attempt on one node: finding them, ending them, and being sure that none is
// left. A cgroup of its own where one can be made (cgroup v2, writable); otherwise everything below
// the supervisor and everything that carries the attempt's mark in its environment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/job/attempt.h"

namespace cox {

class Containment {
 public:
  // For the supervisor, before anything is started. Writes down in the folder what it made.
  static Result<Containment> make(const std::string& folder, AttemptKey key);
  // For the worker: what a supervisor that died had made.
  static Containment find(const std::string& folder);

  // A child of ours, as by fork(): contained from its first instruction, where the kernel can do
  // that. Moving a process that runs takes the kernel some 20 ms, waiting for all CPUs. All signals
  // are blocked in it until become_plain_child().
  struct Forked {
    pid_t pid = -1;          // 0: in the child; -1: errno
    bool is_inside = false;  // otherwise the child calls enter() before exec
  };
  Forked fork_inside() const;
  // False: it cannot be contained.
  bool enter() const;
  // SIGKILL to everything but `spared`. True when nothing is left: ask again until then.
  bool kill_all(const std::vector<pid_t>& spared);
  // Of what kill_all() has not ended: whether code of the user's may still run.
  KillFailure kill_failure(const std::vector<pid_t>& spared) const;
  // Stops everything but `spared`. True when nothing runs: ask again until then.
  bool freeze_all(const std::vector<pid_t>& spared);
  // Lets it go on. False: it could not be told what there is, ask again.
  bool thaw_all(const std::vector<pid_t>& spared);
  // How many processes the kernel ended here for want of memory; 0 where nobody counts.
  std::int64_t oom_kills() const;
  // REQUIRES: nothing is left.
  void remove();

 private:
  Forked fork_blocked() const;
  // What lives of the attempt, where there is no cgroup; none: it could not be told.
  std::optional<std::vector<pid_t>> living(const std::vector<pid_t>& spared) const;

  std::string cgroup_;  // empty: none
  std::string mark_;
  std::optional<pid_t> root_;
  int empty_in_a_row_ = 0;
  int still_in_a_row_ = 0;
};

// The folder in which this process could make cgroups; none: it cannot.
std::optional<std::string> cgroup_base();

}  // namespace cox
