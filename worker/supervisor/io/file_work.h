// What may take long with files runs in a small child of the supervisor, as the user: preparing
// folders, verifying the checkpoint to resume from, sealing what a rank saved. The outcome comes
// back through a pipe as a frame; the child is killed with the supervisor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/attempt.h"
#include "worker/supervisor/io/descriptor.h"
#include "worker/supervisor/supervision.h"

namespace cox {

class FileWork {
 public:
  static Result<FileWork> prepare(const LaunchSpec& launch, const supervisor::PrepareNode& what);
  static Result<FileWork> seal(const LaunchSpec& launch, const supervisor::Seal& what);

  int fd() const { return outcome_.get(); }
  pid_t pid() const { return pid_; }
  // Call when fd() is readable. True: the outcome is complete and take() may be called once.
  bool read();
  // PrepareFailed, Sealed, or Prepared without a port.
  supervisor::Event take() const;
  void abandon();

 private:
  template <class Work>
  static Result<FileWork> start(const LaunchSpec& launch, std::optional<std::int64_t> seal,
                                Work work);

  pid_t pid_ = 0;
  std::optional<std::int64_t> seal_;  // its number; none: preparing
  Descriptor outcome_;
  std::string received_;
};

}  // namespace cox
