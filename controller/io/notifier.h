// Mail and the site's own program: started, never waited for. Few at once; what comes faster waits
// in a queue, and what does not fit there is dropped with a word in the log: a mail server that
// hangs holds up nothing.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <vector>

#include "common/config.h"
#include "controller/notices.h"

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
  };
  void add(Order order);
  bool start(const Order& order);

  std::string cluster_name_;
  std::string mail_program_;    // empty: there is none
  std::string notify_program_;  // likewise
  std::deque<Order> waiting_;
  std::vector<pid_t> running_;
  bool told_full_ = false;
};

}  // namespace cox
