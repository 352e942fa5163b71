// Verifies saved checkpoints when the controller asks for it (`cox checkpoints verify`), each in a
// cox-supervisor process that becomes the job's user. Used by Processes.
#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "common/messages/worker_messages.h"
#include "worker/launcher.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class Verifications {
 public:
  explicit Verifications(std::string supervisor_program);
  // Verifies the checkpoint once there is room: at most two are read at a time, so that jobs keep
  // most of the storage's speed. An order that is being carried out already is ignored.
  void begin(const VerifyCheckpoint& order);
  // Adds what has been found since the last call. Never waits.
  void reap(std::vector<LauncherEvent>& events);

 private:
  struct Running {
    VerifyCheckpoint order;
    Descriptor output;  // a file in memory with what the process prints
  };

  bool is_known(const VerifyCheckpoint& order) const;
  void start_waiting();
  void start(const VerifyCheckpoint& order);

  std::string supervisor_program_;
  std::map<pid_t, Running> running_;
  std::deque<VerifyCheckpoint> waiting_;
  std::vector<CheckpointVerified> failed_;  // could not be begun, to be reported
};

}  // namespace cox
