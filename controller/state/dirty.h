// What has changed in the cluster since the scheduling engine was last updated. Cluster fills it,
// and EngineFeed (engine_feed.h) empties it when the engine is next used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "common/base/ids.h"

namespace cox {

struct Dirty {
  // How the engine is updated for a changed job. Each way does what the ways before it do, and
  // more.
  enum class Way : std::uint8_t {
    Copies,      // the array's row stands for fewer tasks than before; nothing else has changed
    KeepsClaim,  // is queued anew, and keeps its claim (the room that preemption frees for it)
    LosesClaim,  // is queued anew, and loses its claim
  };
  std::map<JobId, Way> jobs;
  std::vector<JobId> asked;  // jobs that were added, or whose specification has changed
  bool everything = false;   // the cluster was loaded anew
  bool nodes = false;        // nodes were changed, or whether they are available
  bool totals = false;  // the sum of what the nodes have, or what all jobs request, has changed
  bool reservations = false;  // advance reservations
  bool quotas = false;        // guarantees or deserved shares of accounts were changed
  bool charges = false;       // the past usage that counts against limits was changed
  bool fair_shares = false;   // shares of accounts, or their usage, were changed

  void mark(JobId id, Way way = Way::KeepsClaim) {
    const auto [at, is_new] = jobs.emplace(id, way);
    if (!is_new) at->second = std::max(at->second, way);
  }
};

}  // namespace cox
