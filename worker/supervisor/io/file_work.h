// What may take long with files runs in a small child of the supervisor, as the user: preparing
// folders, verifying the checkpoint to resume from, sealing what a rank saved, looking at what
// ranks have written. The outcome comes back through a pipe; the child is killed with the
// supervisor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/job/attempt.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/supervision.h"

namespace cox {

class FileWork {
 public:
  static Result<FileWork> prepare(const LaunchSpec& launch, const supervisor::PrepareNode& what);
  static Result<FileWork> seal(const LaunchSpec& launch, const supervisor::Seal& what);
  static Result<FileWork> look(const LaunchSpec& launch, const std::vector<std::int32_t>& ranks);

  int fd() const { return outcome_.get(); }
  pid_t pid() const { return pid_; }
  bool is_look() const { return is_look_; }
  // Call when fd() is readable. True: the outcome is complete and take() may be called once.
  bool read();
  // PrepareFailed, Sealed, or Prepared without a port; of a look OutputSeen, or a Tick when it has
  // died.
  supervisor::Event take() const;
  void abandon();

 private:
  template <class Work>
  static Result<FileWork> start(const LaunchSpec& launch, std::optional<std::int64_t> seal,
                                Work work);

  pid_t pid_ = 0;
  std::optional<std::int64_t> seal_;  // its number; none: preparing, or a look
  bool is_look_ = false;
  Descriptor outcome_;
  std::string received_;
};

}  // namespace cox
