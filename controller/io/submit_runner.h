// Runs submit_program (controller/submit_ruling.h): a submission on its standard input, the answer
// on its standard output. It is started, never waited for. What has not ended at a run's time, or
// could not even begin, has failed; so every run has an end in time. What the program writes to its
// standard error goes to the log. One user's submissions leave room for those of others.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "common/config.h"
#include "common/io/link.h"
#include "common/time.h"
#include "controller/event.h"

namespace cox {

class SubmitRunner {
 public:
  // The end of a run wakes the poller. REQUIRES: it outlives this.
  SubmitRunner(const ControllerConfig& config, Poller& poller);
  ~SubmitRunner();
  SubmitRunner(const SubmitRunner&) = delete;  // it owns descriptors
  SubmitRunner& operator=(const SubmitRunner&) = delete;

  // Starts those that have room at once.
  void take(std::vector<SubmitRun> runs);
  // Starts what waits; returns what has ended.
  std::vector<SubmitRunEnded> turn(Boot now);
  // Ends all runs, and reports none of them: those who ask have gone.
  void end_all();

 private:
  struct Running {
    SubmitRun run;
    pid_t pid = -1;
    int output = -1;  // pipes
    int errors = -1;
    int end = -1;  // readable once the process has ended; -1: the kernel has no such thing
    std::shared_ptr<void> wakes = {};
    std::string answer = {};
    std::string complaint = {};
    bool is_late = false;
    bool is_dropped = false;  // nobody waits for it any more
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
  std::vector<SubmitRunEnded> ended_;  // until turn() returns them
};

}  // namespace cox
