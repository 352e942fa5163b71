// Work on files that may take long. It runs in a child of the supervisor, as the user: preparing
// folders, verifying the checkpoint to resume from, sealing what a rank saved, checking the size of
// output files. The outcome comes back through a pipe; the child is killed with the supervisor.
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
  // Reads from the child; called when fd() is readable. True: the outcome is complete, and take()
  // may be called once.
  bool read();
  // Returns the outcome as an event: PrepareFailed, Sealed, Prepared (without a port) or
  // OutputChecked. Returns Tick if the child that checks output files has died.
  supervisor::Event take() const;
  void abandon();

 private:
  template <class Work>
  static Result<FileWork> start(const LaunchSpec& launch, std::optional<std::int64_t> seal,
                                Work work);

  pid_t pid_ = 0;
  std::optional<std::int64_t> seal_;  // number of the Seal action; none: this is other work
  bool is_look_ = false;
  Descriptor outcome_;
  std::string received_;
};

}  // namespace cox
