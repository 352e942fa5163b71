// Checks for `scontrol reconfigure` whether the controller could restart with its settings file. A
// process of the installed cox-controller does this (start_check.h), because the check may take
// long and because an upgrade may have replaced the program. The request waits here for the result.
// Used by controller/io/leader_host.cpp.
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

class StartTrial {
 public:
  // `program`: path of cox-controller. `path`: of the settings file. The end of a check wakes the
  // poller. REQUIRES: the poller outlives this object.
  StartTrial(std::string program, std::string path, const ControllerConfig& config, Poller& poller);
  ~StartTrial();
  StartTrial(const StartTrial&) = delete;  // it owns a process and descriptors
  StartTrial& operator=(const StartTrial&) = delete;

  // Takes the message and returns true if it is a Reconfigure of the cluster's owner. Otherwise
  // leaves the message to the caller. `led`: the term of this controller; Term{}: it does not lead.
  bool takes(PeerMessage& incoming, Term led, Boot now);
  // Returns the requests whose check has ended or took too long. In each, `wrong_settings` has the
  // result.
  std::vector<PeerMessage> turn(Boot now);
  // Ends the check and returns the requests that wait.
  std::vector<PeerMessage> drop_all();

 private:
  void start(Boot now);
  void end_process();
  Failure result_of(int wait_status) const;

  std::vector<std::string> command_;
  std::uint32_t owner_uid_;
  bool accepts_loss_;  // it runs with --accept-loss, so any database will do
  Term led_;
  Poller& poller_;
  std::deque<PeerMessage> waiting_;  // the check that runs is for the first one
  std::vector<PeerMessage> ended_;   // the next turn() returns them
  pid_t pid_ = -1;                   // of the check; -1: none runs
  int output_ = -1;                  // pipe from its standard output and error
  int end_ = -1;                     // pidfd
  std::shared_ptr<void> wakes_;
  std::string written_;
  Boot until_{};
  bool is_late_ = false;
};

}  // namespace cox
