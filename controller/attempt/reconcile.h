// Compares what a node reports that it has with what it should have. Pure but for the Reaction.
// Called by controller/attempt/react_worker.cpp only.
//
// The protocol is level, not edge: a hello and every heartbeat list the attempts that a node really
// has. reconcile() compares them with those it should have and sends the orders that are missing.
// That alone repairs lost, repeated and reordered messages, restarts and network partitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// An attempt as a node lists it.
struct Fact {
  AttemptKey key;
  std::int64_t revision;
  NodePhase phase;
  std::int64_t ran_ms;
  std::int64_t suspension;
};

bool is_live_attempt(const Cluster& cluster, AttemptKey key);

// Ends an attempt that a node reports and that is over, or that the database does not have.
void end_foreign(Reaction& r, const std::string& node, AttemptKey key, NodePhase phase,
                 std::int64_t revision);

// Ends the attempts that are over, sends missing orders, and counts the ones that the node lacks as
// lost there. `facts`: what the node has. `confirmed`: as in the heartbeat with this list; 0 for a
// hello. REQUIRES: the list comes from the spool folder that the controller knows (rival.h).
void reconcile(Reaction& r, const std::string& node, const std::vector<Fact>& facts,
               bool has_rebooted, std::int64_t confirmed);

}  // namespace cox
