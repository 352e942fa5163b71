// Runs the programs of event triggers (controller/ledger/event_triggers.h) without blocking. A
// program that exceeds its time is killed. The output of programs goes to the log.
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

  void take(std::vector<TriggerRun> runs);
  // Starts waiting runs for which there is room, and logs the runs that have ended.
  void turn(Boot now);

 private:
  struct Running {
    TriggerRun run;
    pid_t pid = -1;
    int output = -1;  // a pipe
    std::string written = {};
    Boot until{};
    bool is_late = false;
  };
  bool may_start(const TriggerRun& run) const;
  void start(TriggerRun run, Boot now);
  static bool end_if_over(Running& running, Boot now);

  std::string cluster_name_;
  std::deque<TriggerRun> waiting_;
  std::vector<Running> running_;
  bool told_full_ = false;
};

}  // namespace cox
