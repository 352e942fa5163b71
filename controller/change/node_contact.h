// What the controller believes of a node. Workers' messages rebuild it after a restart.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/node.h"
#include "common/job/attempt.h"
#include "controller/change/event.h"

namespace cox {

// What is believed of a node: not stored, not committed.
struct NodeContact {
  PeerName peer;                     // the connection it was heard on last
  std::string session;               // of that hello; empty: not heard since this controller began
  std::vector<std::string> retired;  // earlier sessions: whatever still comes of them is dropped
  std::int64_t number = 0;           // the newest word of the session that a turn has taken in
  std::int64_t beat = 0;             // the newest heartbeat acknowledged, outside the turns
  std::int64_t started_ms = 0;       // of the session, on the node's boot clock
  bool obeys_us = false;  // it has spoken since it obeyed our term: what it does not have, it lacks
  Boot heard{};
  bool shares_checkpoints = true;
  bool ends_foreign = false;          // what is over here still runs there: its room is not free
  std::set<AttemptKey> stale_ends{};  // told of in their jobs' history: once is enough
  std::string unfit{};                // as its worker says
  Milliseconds programs{0};           // that its prolog and epilog may take, as its worker says
  std::int64_t good_beats = 0;        // in a row: node_health.h
  bool avoided = false;               // likewise
  // When the node became silent; Boot{}: it was silent when this controller began.
  Boot silent_since{};
  Boot silence_ended{};  // when it was last heard after it had missed several heartbeats
  Boot fenced{};         // when it was said to be powered off; Boot{}: it was not
  Boot fence_asked{};    // when fence_program was last asked to; Boot{}: not in this silence
  Boot fence_due{};      // when it is to be asked again
  int fence_tries = 0;   // in this silence
  std::optional<NodeLoad> load{};  // what its newest heartbeat reported
  Boot load_at{};                  // when that arrived
};

}  // namespace cox
