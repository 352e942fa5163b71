// The step daemon's loop: one thread, one poll. The supervisor tells it the job, then steps; it
// tells the supervisor how each stands. It ends with the supervisor, and its tasks end with it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "worker/stepd/io/live_step.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class Stepd {
 public:
  // `supervisor`: the connection to it. `folder`: the supervisor's. `cpus`: the attempt's, as
  // "0,1", or why there are none.
  Stepd(Descriptor supervisor, std::string folder, const std::string& cpus);
  void run();  // until the supervisor is gone

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
  bool is_told_ = false;  // of the job
};

}  // namespace cox
