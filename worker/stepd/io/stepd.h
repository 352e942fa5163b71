// The step daemon's loop: one thread, one poll. The supervisor sends it the job, then steps; it
// sends back each step's status. It ends with the supervisor, and its tasks end with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "worker/stepd/io/live_step.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class Stepd {
 public:
  // `supervisor`: the connection to the supervisor. `folder`: the supervisor's. `cpus`: the CPUs
  // claimed for the attempt, such as "0,1", or the reason why none could be claimed.
  Stepd(Descriptor supervisor, std::string folder, const std::string& cpus);
  void run();  // returns when the supervisor has ended

 private:
  void turn();
  Milliseconds time_to_wait() const;
  bool read_supervisor();
  void receive(const Message& message);
  void report();

  FrameStream supervisor_;
  std::unique_ptr<Poller> poller_;
  Watches watches_;
  PmixHost pmix_;
  LiveSteps steps_;
  StepSurroundings around_;
  bool has_launch_ = false;  // the supervisor has sent the launch and the Go
};

}  // namespace cox
