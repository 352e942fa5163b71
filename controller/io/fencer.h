// Runs fence_program: PROGRAM NODE, which powers the node off and exits with 0 when it is off. It
// is started, never waited for; one that runs longer than limits::fence_run_ms_max is killed and
// has failed. What it writes goes to the log.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "controller/change/event.h"

namespace cox {

class Fencer {
 public:
  explicit Fencer(const ControllerConfig& config);
  ~Fencer();
  Fencer(const Fencer&) = delete;  // it owns descriptors
  Fencer& operator=(const Fencer&) = delete;

  // An order for a node whose program still waits or runs is dropped: the controller asks again.
  void take(std::vector<FenceOrder> orders);
  // Starts what waits; returns what has ended.
  std::vector<FenceEnded> turn(Boot now);

 private:
  struct Run {
    FenceOrder order;
    pid_t pid = -1;
    int output = -1;  // a pipe
    std::string written = {};
    Boot until{};
    bool is_late = false;
  };
  bool knows(const std::string& node) const;
  void start(FenceOrder order, Boot now, std::vector<FenceEnded>& ended);

  std::string program_;
  std::string cluster_name_;
  std::deque<FenceOrder> waiting_;
  std::vector<Run> running_;
};

}  // namespace cox
