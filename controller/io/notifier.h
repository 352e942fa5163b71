// Runs mail_program and notify_program for events of jobs (controller/turn/notices.h), without
// blocking. A few programs run at once; other notices are queued. If the queue is full, new notices
// are dropped and a warning is logged, so a mail server that hangs delays nothing else. Each
// program gets the notices of one job in order: its next run begins when the previous one has
// ended. Used by controller/io/leader_host.cpp.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "common/cluster/config.h"
#include "controller/turn/notices.h"

namespace cox {

class Notifier {
 public:
  explicit Notifier(const ControllerConfig& config);
  void take(std::vector<Notice> notices);
  void turn();  // collects runs that have ended, and starts queued ones

 private:
  struct Order {
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::string input;
    JobId job;
  };
  struct Run {
    pid_t pid = 0;
    std::string program;
    JobId job;
  };
  void add(Order order);
  bool start(const Order& order);
  bool has_to_wait(const Order& order) const;

  std::string cluster_name_;
  std::string mail_program_;    // empty: no mail is sent
  std::string notify_program_;  // empty: no program is run
  std::deque<Order> waiting_;
  std::vector<Run> running_;
  bool warned_full_ = false;  // the log has a warning that the queue is full
};

}  // namespace cox
