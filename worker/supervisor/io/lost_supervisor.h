// What a supervisor that has died has left on a node without cgroups. Its processes have the mark
// of the attempt in their environment, are in its session, or descend from one of these. A process
// that has left the session, lost its parent, and shows no environment (it may not be read, or the
// program has overwritten it) can be the attempt's or another one of its user's: it is not known.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/supervisor/io/process_identity.h"

namespace cox {

struct LostSupervisor {
  std::string mark;                  // attempt_mark()
  std::optional<Identity> identity;  // none: it cannot be read
  std::optional<uid_t> uid;          // the job's user; none: any, the launch cannot be read
};

// Reads what the folder of a supervisor that has died says of it. `files`: a path to the folder,
// which may have been moved since the supervisor began.
LostSupervisor lost_supervisor(const std::string& folder, const std::string& files);

struct Leftovers {
  std::vector<pid_t> found;        // processes of the attempt
  std::vector<pid_t> unexplained;  // may be processes of the attempt
};

// Returns the living processes that the supervisor has left. None: they could not be listed.
std::optional<Leftovers> leftovers_of(const LostSupervisor& lost);

// Returns what people are to know of processes that keep a node from saying that nothing is left.
std::string unexplained_text(const std::vector<pid_t>& pids);

}  // namespace cox
