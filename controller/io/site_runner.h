// Runs prolog_program and epilog_program (controller/ledger/site_runs.h). They are started, never
// waited for; one that runs longer than prolog_epilog_timeout is killed and has failed. What they
// write goes to the log.
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

  // A run that still waits or runs is not begun twice: the controller may ask again.
  void take(std::vector<SiteRun> runs);
  // Starts what waits; returns what has ended.
  std::vector<SiteRunEnded> turn(Boot now);

 private:
  struct Running {
    SiteRun run;
    pid_t pid = -1;
    int output = -1;  // a pipe
    std::string written = {};
    Boot until{};
    bool is_late = false;
  };
  bool knows(const SiteRun& run) const;
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
