// Mail and the site's own program: started, never waited for. Few at once; what comes faster waits
// in a queue, and what does not fit there is dropped with a word in the log: a mail server that
// hangs holds up nothing. What is told of one job to one program is told in order: the next run
// begins when the one before has ended.
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
  void turn();  // starts what waits, and ends what is done

 private:
  struct Order {
    std::vector<std::string> words;
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
  std::string mail_program_;    // empty: there is none
  std::string notify_program_;  // likewise
  std::deque<Order> waiting_;
  std::vector<Run> running_;
  bool told_full_ = false;
};

}  // namespace cox
