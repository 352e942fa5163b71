// Processes of attempts whose folders are no longer in the spool folder: somebody has emptied it,
// moved it away or removed a folder. Nothing supervises them, and the controller would start the
// attempts again beside them. Only the worker that holds the lock of the spool folder may use this.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "worker/supervisor/io/process_identity.h"

namespace cox {

// Parses the name of an attempt's folder: "17.2".
std::optional<AttemptKey> parse_attempt_folder(std::string_view name);
std::string attempt_folder(const std::string& spool_dir, AttemptKey key);
// Returns the attempts that have a folder in the spool folder.
Result<std::set<AttemptKey>> attempts_with_folders(const std::string& spool_dir);

// Ends the supervisors, and their ranks, that run on this machine for a worker of the same node and
// controllers (`worker`, the value of variable_worker) and have their folders outside `spool_dir`.
// It leaves the attempts in `known` alone. REQUIRES: the controller serves this worker, and so
// counts all other attempts of the node as ended. Refused if processes outlive SIGKILL for 30 s.
Failure end_others(const std::string& worker, const std::string& spool_dir,
                   const std::set<AttemptKey>& known);

class Strays {
 public:
  explicit Strays(std::string spool_dir) : paths_{std::move(spool_dir)} {}
  // The spool folder had this path before it was moved: what was started then is marked with it.
  void look_also_at(std::string former_path) { paths_.push_back(std::move(former_path)); }

  // Sends SIGKILL to the supervisors and other processes of this spool folder whose attempt is not
  // among `known`. Returns whether none is left; if not, call it again. What cannot be read counts
  // as left.
  bool end(const std::set<AttemptKey>& known);
  // Waits until end() returns true. Refused if processes outlive SIGKILL for 30 s.
  Failure end_all(const std::set<AttemptKey>& known);

 private:
  bool is_stray_supervisor(pid_t pid, const std::set<AttemptKey>& known);
  bool is_stray_rank(const std::string& environment, const std::set<AttemptKey>& known) const;
  bool kill_where(const ProcessTest& is_stray);
  bool kill_cgroups(const std::set<AttemptKey>& known);
  std::vector<std::string> stray_cgroups(const std::set<AttemptKey>& known);

  // Returns the attempt of a file below the spool folder, by any of its paths.
  std::optional<AttemptKey> attempt_at(std::string_view path, std::string_view file) const;

  std::vector<std::string> paths_;  // of the spool folder; the first is the present one
  std::set<std::string> found_;     // all that end() has found: "pid 17"
  bool unsure_ = false;             // something could not be read in the present scan
  int clean_in_a_row_ = 0;
};

}  // namespace cox
