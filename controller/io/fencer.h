// Runs fence_program as `PROGRAM NODE`, without blocking. The program powers the node off, and
// exits with 0 once the node is off. A run that takes longer than limits::fence_run_ms_max is
// killed and counts as failed. The output of the program goes to the log. Used by
// controller/io/leader_host.cpp.
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

  // Queues the orders. An order for a node with a queued or running program is dropped, since the
  // controller repeats its orders.
  void take(std::vector<FenceOrder> orders);
  // Starts queued orders, as many as may run at once; returns the runs that have ended.
  std::vector<FenceEnded> turn(Boot now);

 private:
  struct Run {
    FenceOrder order;
    pid_t pid = -1;
    int output = -1;           // a pipe that the program writes to
    std::string written = {};  // the program's output so far
    Boot until{};              // when the run is killed
    bool is_late = false;
  };
  bool has_order_for(const std::string& node) const;
  void start(FenceOrder order, Boot now, std::vector<FenceEnded>& ended);

  std::string program_;
  std::string cluster_name_;
  std::deque<FenceOrder> waiting_;
  std::vector<Run> running_;
};

}  // namespace cox
