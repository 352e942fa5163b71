// Runs the programs of event triggers (controller/ledger/event_triggers.h) without blocking. A
// program that runs longer than limits::trigger_run_ms_max is killed. The output of programs goes
// to the log. Used by controller/io/leader_host.cpp.
//
// A program runs as the user who set the trigger. The user chose its path, so the process opens the
// file only after it has switched to that user. A controller that is not root runs programs only as
// its own user.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "controller/change/event.h"

namespace cox {

class TriggerRunner {
 public:
  explicit TriggerRunner(const ControllerConfig& config);
  ~TriggerRunner();
  TriggerRunner(const TriggerRunner&) = delete;  // it owns descriptors
  TriggerRunner& operator=(const TriggerRunner&) = delete;

  // Queues the runs. If the queue is full, drops them and logs a warning.
  void take(std::vector<TriggerRun> runs);
  // Starts queued runs that the limits allow, and logs the runs that have ended.
  void turn(Boot now);

 private:
  struct Running {
    TriggerRun run;
    pid_t pid = -1;
    int output = -1;           // a pipe that the program writes to
    std::string written = {};  // the program's output so far
    Boot until{};              // when the run is killed
    bool is_late = false;
  };
  bool may_start(const TriggerRun& run) const;
  void start(TriggerRun run, Boot now);
  static bool end_if_over(Running& running, Boot now);

  std::string cluster_name_;
  std::deque<TriggerRun> waiting_;
  std::vector<Running> running_;
  bool warned_full_ = false;  // the log has a warning that the queue is full
};

}  // namespace cox
