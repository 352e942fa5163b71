// The soft state of a node, which is not stored: a controller that starts rebuilds it from the
// messages of the node's worker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/node.h"
#include "common/job/attempt.h"
#include "controller/change/event.h"

namespace cox {

// A worker that has said hello under the node's name, and is not served (attempt/rival.h).
struct Rival {
  std::string session;
  std::string place;        // for people
  std::int64_t beat = 0;    // number of the newest heartbeat that was acknowledged before its hello
  Boot seen{};              // when its newest hello arrived
  bool is_refused = false;  // the worker that is served lives, so this one must end
};

struct NodeContact {
  PeerName peer;  // the connection of the node's newest message
  // Session id in the node's newest hello; empty: none since this controller became leader.
  std::string session;
  std::vector<std::string> retired;  // earlier sessions of the node, whose messages are dropped
  std::int64_t number = 0;  // number of the session's newest message that a turn has handled
  // Number of the newest acknowledged heartbeat, which need not have been in a turn yet.
  std::int64_t beat = 0;
  std::int64_t started_ms = 0;  // when the session's worker started, in ms on the node's boot clock
  // The worker has sent a message since it adopted this leader's term. So an attempt that is
  // missing in the worker's lists is not on the node.
  bool obeys_us = false;
  Boot last_contact{};  // when the node's newest message arrived
  bool shares_checkpoints = true;
  bool ends_foreign = false;  // the node still runs attempts that are over, so it gets no work
  // Attempts whose late end on this node is in the history of their jobs already.
  std::set<AttemptKey> stale_ends{};
  std::string unfit{};  // why the node is unfit, as its worker reports; empty: it is fit
  // The longest that prolog and epilog of the node may take, as its worker reports.
  Milliseconds programs{0};
  std::int64_t good_beats = 0;  // good heartbeats in a row since the last silence (node_health.h)
  bool avoided = false;  // other nodes are preferred, because this one had failures (node_health.h)
  // When the node became silent; Boot{}: it was silent when this controller became leader.
  Boot silent_since{};
  // When the newest message arrived that ended a silence of several heartbeats.
  Boot silence_ended{};
  Boot fenced{};        // when the node was fenced; Boot{}: it was not
  Boot fence_asked{};   // when fence_program was last requested; Boot{}: not in this silence
  Boot fence_due{};     // when fence_program is requested again
  int fence_tries = 0;  // in this silence
  std::optional<NodeLoad> load{};  // the load that the newest heartbeat reported
  Boot load_at{};                  // when that arrived
  std::optional<Rival> rival{};
  // The other cluster of a worker that was refused for it; empty: the newest hello was of ours.
  std::string other_cluster{};
  // Attempts to be stopped that the newest list lacked, though they were sent to the node, with the
  // number of the newest heartbeat that was acknowledged when a list first lacked them.
  std::map<AttemptKey, std::int64_t> missed{};
};

}  // namespace cox
