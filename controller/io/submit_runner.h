// Runs submit_program (controller/admit/submit_ruling.h) without blocking: the program reads the
// submission from its standard input and writes its answer to its standard output. A run that has
// not started or not ended by its deadline fails, so every submission gets its answer in time. The
// program's standard error goes to the log. The number of simultaneous runs is limited for each
// user, so that one user cannot block the submissions of others. Used by leader_host.cpp.
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

  // Queues the runs, and starts those that the limits allow.
  void take(std::vector<SubmitRun> runs);
  // Starts queued runs that the limits allow; returns the runs that have ended.
  std::vector<SubmitRunEnded> turn(Boot now);
  // Ends all runs without a report: the clients are no longer connected.
  void end_all();

 private:
  struct Running {
    SubmitRun run;
    pid_t pid = -1;
    int output = -1;  // pipe from the program's standard output
    int errors = -1;  // pipe from its standard error
    int end = -1;     // pidfd, readable once the process has ended; -1: not supported
    std::shared_ptr<void> wakes = {};
    std::string answer = {};
    std::string complaint = {};
    bool is_late = false;
    bool is_dropped = false;  // nobody needs the answer any more: the controller no longer leads
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
  std::vector<SubmitRunEnded> ended_;  // runs that the next turn() reports
};

}  // namespace cox
