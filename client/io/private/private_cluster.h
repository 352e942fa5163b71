// A private cluster (`cox up`, `cox down`, `cox status`): PostgreSQL, a controller and workers of
// one user, on loopback and Unix sockets. cluster_layout.h has the paths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/io/private/daemons.h"
#include "client/setup/cluster_layout.h"
#include "client/show/json.h"
#include "common/base/time.h"

namespace cox {

// Returns the absolute path of the private cluster's folder: `dir_given`, or else the default.
Result<std::string> private_cluster_dir(const std::string& dir_given);
// Returns the command for the cluster in `dir`, in quotes: 'cox up', and with --dir unless that is
// the default folder.
std::string quoted_command(const std::string& command, const std::string& dir);

// A lock that allows one `cox up` or `cox down` at a time in a folder. The destructor releases it.
class FolderLock {
 public:
  static Result<std::unique_ptr<FolderLock>> take(const std::string& dir);
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

// Reads the layout of the private cluster in a folder. Nothing if there is none; a Refusal if it
// cannot be read.
std::optional<Result<ClusterLayout>> kept_layout(const std::string& dir);

std::string pids_path(const ClusterLayout& layout);

// Returns PostgreSQL, the controller and the workers. Pid 0: the daemon should run but does not.
Result<std::vector<Daemon>> expected_daemons(const ClusterLayout& layout);

std::vector<DaemonLine> lines_of(const std::vector<Daemon>& daemons);  // for --json

// Returns the running supervisors of a node, found by their identity files below DIR/spool.
std::vector<Daemon> live_supervisors(const ClusterLayout& layout, const std::string& node);

// Ends the running supervisors of a node with SIGKILL. First notes in their folders that the owner
// ends them, so that the controller counts no failure of the node.
void end_supervisors(const ClusterLayout& layout, const std::string& node, Milliseconds patience);

}  // namespace cox
