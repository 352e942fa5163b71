// Runs submit_program (controller/admit/submit_ruling.h): writes a submission to its standard input
// and reads the answer from its standard output, without blocking. A run that has not ended, or not
// started, by its deadline fails; so every run ends in time. The program's standard error goes to
// the log. The number of runs of one user is limited, so that other users' submissions get a turn.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "common/io/link.h"
#include "controller/change/event.h"

namespace cox {

class SubmitRunner {
 public:
  // The end of a run wakes the poller. REQUIRES: the poller outlives this object.
  SubmitRunner(const ControllerConfig& config, Poller& poller);
  ~SubmitRunner();
  SubmitRunner(const SubmitRunner&) = delete;  // it owns descriptors
  SubmitRunner& operator=(const SubmitRunner&) = delete;

  // Queues the runs, and starts those for which there is room.
  void take(std::vector<SubmitRun> runs);
  // Starts waiting runs for which there is room; returns the runs that have ended.
  std::vector<SubmitRunEnded> turn(Boot now);
  // Ends all runs without a report: the clients are no longer connected.
  void end_all();

 private:
  struct Running {
    SubmitRun run;
    pid_t pid = -1;
    int output = -1;  // pipes
    int errors = -1;
    int end = -1;  // pidfd, readable once the process has ended; -1: not supported
    std::shared_ptr<void> wakes = {};
    std::string answer = {};
    std::string complaint = {};
    bool is_late = false;
    bool is_dropped = false;  // no client waits for the answer
  };
  bool may_start(const SubmitRun& run) const;
  void start_waiting();
  void start(SubmitRun run);
  bool end_if_over(Running& running, Boot now);
  SubmitAnswer answer_of(Running& running, int wait_status) const;
  static void close_all(Running& running);

  std::string program_;
  std::string cluster_name_;
  Milliseconds limit_;
  Poller& poller_;
  std::deque<SubmitRun> waiting_;
  std::vector<Running> running_;
  std::vector<SubmitRunEnded> ended_;  // reported by the next turn()
};

}  // namespace cox
