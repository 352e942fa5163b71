// All processes of one attempt on one node: finds them, ends them, and verifies that none is left.
// If a cgroup can be made (cgroup v2, writable), they are the processes in it. Otherwise they are
// the supervisor's descendants and the processes with the attempt's mark in their environment;
// after its death those that lost_supervisor.h finds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/job/attempt.h"
#include "worker/supervisor/io/lost_supervisor.h"

namespace cox {

class Containment {
 public:
  // The supervisor calls this before it starts any process. Makes the attempt's cgroup, if it can,
  // and records its path in the supervisor's folder.
  static Result<Containment> make(const std::string& folder, AttemptKey key);
  // The worker calls this after a supervisor has died. Returns the containment of its attempt.
  // `files`: a path to the folder, which may have been moved since the supervisor began.
  static Containment find(const std::string& folder, const std::string& files);
  // The worker calls this for an attempt that is over, in case its supervisor could not remove the
  // cgroup.
  static void remove_cgroup(const std::string& folder);

  // Forks a child that is contained from its first instruction, if the kernel supports that.
  // (Moving a running process into a cgroup takes some 20 ms.) All signals are blocked in the child
  // until become_plain_child().
  struct Forked {
    pid_t pid = -1;          // pid of the child; 0: in the child; -1: errno
    bool is_inside = false;  // false: the child must call enter() before exec
  };
  Forked fork_inside() const;
  // Moves this process into the attempt's cgroup, if there is one. False: that failed.
  bool enter() const;
  // Sends SIGKILL to all processes except `spared`. False: some may be left; call it again.
  bool kill_all(const std::vector<pid_t>& spared);
  // Returns the processes that keep kill_all() from returning true, though they may be another's:
  // nothing shows whether they are of the attempt, so they are not killed.
  const std::vector<pid_t>& unexplained() const { return unexplained_; }
  // Classifies the processes that kill_all() has not ended: whether user code may still run.
  KillFailure kill_failure(const std::vector<pid_t>& spared) const;
  // Suspends all processes except `spared`. False: some may still run; call it again.
  bool freeze_all(const std::vector<pid_t>& spared);
  // Resumes all processes. False: they could not all be listed; call it again.
  bool thaw_all(const std::vector<pid_t>& spared);
  // Returns how many of the attempt's processes the kernel's OOM killer has ended; 0 without a
  // cgroup. None: the number cannot be read.
  std::optional<std::int64_t> oom_kills() const;
  // Removes the cgroup. REQUIRES: no process is left.
  void remove();

 private:
  Forked fork_blocked() const;
  // Returns the attempt's processes, found without a cgroup. None: they could not be listed.
  std::optional<Leftovers> living(const std::vector<pid_t>& spared) const;

  std::string cgroup_;  // empty: none
  std::string mark_;
  std::optional<LostSupervisor> lost_;  // none: this process is the supervisor
  std::vector<pid_t> unexplained_;      // of the last kill_all()
  int empty_in_a_row_ = 0;
  int stopped_in_a_row_ = 0;
};

// Returns the folder in which this process can make cgroups; none: it can make none.
std::optional<std::string> cgroup_base();

// Returns the paths of all cgroups on this machine that were made for an attempt, of any cluster.
// None: they could not all be listed, for example because one was removed meanwhile.
std::optional<std::vector<std::string>> attempt_cgroups();
// Returns the attempt of such a cgroup; none: its folder is not below `spool_dir`.
std::optional<AttemptKey> attempt_of_cgroup(const std::string& path, const std::string& spool_dir);
// Sends SIGKILL to all processes in the cgroup. Returns whether it is empty.
bool kill_cgroup(const std::string& path);

}  // namespace cox
