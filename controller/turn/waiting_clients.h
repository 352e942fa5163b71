// Clients that wait for a job to change, clients that follow the events of jobs, and the newest of
// these events. Used only by Controller. Pure.
#pragma once

#include <vector>

#include "controller/ledger/event_stream.h"
#include "controller/ledger/reaction.h"
#include "controller/turn/effects.h"

namespace cox {

class WaitingClients {
 public:
  // Adds the clients. For clients beyond the limits, `effects` gets a refusal instead.
  void add(std::vector<Waiter> waiters, Effects& effects);
  void add(std::vector<EventFollower> followers, Effects& effects);
  void add(std::vector<StreamedEvent> events) { stream_.add(std::move(events)); }
  void forget_events() { stream_ = {}; }

  // Answers the clients whose job or step has changed, or whose time to wait is over. Returns the
  // reads for clients whose jobs memory has forgotten.
  std::vector<WantedRead> answer_waiters(const Cluster& cluster, Now now, Effects& effects);
  // Answers the clients that follow events (cox events), if there are new events for them or their
  // time to wait is over.
  void answer_followers(Term term, Now now, Effects& effects);

 private:
  std::vector<Waiter> waiters_;
  std::vector<EventFollower> followers_;
  EventStream stream_;
};

}  // namespace cox
