// The folder with the Unix socket of one run of srun or sattach.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.h"

namespace cox {

// While the process lives, it holds the lock of the folder. So a folder whose lock is free was left
// by a process that was killed.
class SocketFolder {
 public:
  // Makes a folder with a random name that begins with `prefix`. First removes the folders of this
  // user with the same prefix that killed processes left.
  static Result<std::unique_ptr<SocketFolder>> make(const std::string& prefix);
  ~SocketFolder();
  SocketFolder(const SocketFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string socket() const { return path_ + "/s"; }

 private:
  SocketFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;  // descriptor
};

}  // namespace cox
