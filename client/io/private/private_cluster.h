// A private cluster: `cox up`, `cox down`, `cox status`. PostgreSQL, a controller and workers of
// one user on loopback and Unix sockets. cluster_layout.h tells what lies where.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/io/private/daemons.h"
#include "client/setup/cluster_layout.h"

namespace cox {

Result<std::string> private_cluster_dir(const PrivateClusterOptions& options);  // absolute

// One up or down at a time in a folder; the lock ends with the object.
class FolderLock {
 public:
  static Result<std::unique_ptr<FolderLock>> take(const std::string& dir);
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

// Nothing: no private cluster was ever made there.
std::optional<Result<ClusterLayout>> kept_layout(const std::string& dir);

std::string pids_path(const ClusterLayout& layout);

// PostgreSQL, the controller and the workers; pid 0 for those that should run and do not.
std::vector<Daemon> expected_daemons(const ClusterLayout& layout);

// Live supervisors below DIR/spool, by their identity files.
std::vector<Daemon> live_supervisors(const ClusterLayout& layout, const std::string& node);

}  // namespace cox
