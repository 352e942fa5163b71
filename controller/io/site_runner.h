// Runs prolog_program and epilog_program (controller/ledger/site_runs.h) without blocking. A
// program that runs longer than prolog_epilog_timeout is killed and counts as failed. The output of
// the programs goes to the log. Used by controller/io/leader_host.cpp.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "controller/change/event.h"

namespace cox {

class SiteRunner {
 public:
  explicit SiteRunner(const ControllerConfig& config);
  ~SiteRunner();
  SiteRunner(const SiteRunner&) = delete;  // it owns descriptors
  SiteRunner& operator=(const SiteRunner&) = delete;

  // Queues the runs. A run that is queued or running already is ignored, since the controller may
  // request it again.
  void take(std::vector<SiteRun> runs);
  // Starts queued runs, as many as may run at once; returns the runs that have ended.
  std::vector<SiteRunEnded> turn(Boot now);

 private:
  struct Running {
    SiteRun run;
    pid_t pid = -1;
    int output = -1;           // a pipe that the program writes to
    std::string written = {};  // the program's output so far
    Boot until{};              // when the run is killed
    bool is_late = false;
  };
  bool has_run(const SiteRun& run) const;
  const std::string& program_of(const SiteRun& run) const;
  void start(SiteRun run, Boot now, std::vector<SiteRunEnded>& ended);
  bool end_if_over(Running& running, Boot now, std::vector<SiteRunEnded>& ended);

  std::string prolog_;
  std::string epilog_;
  Milliseconds limit_;
  std::deque<SiteRun> waiting_;
  std::vector<Running> running_;
};

}  // namespace cox
