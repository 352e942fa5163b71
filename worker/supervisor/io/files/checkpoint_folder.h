// Makes the checkpoint folder of an attempt, as root, below a root folder to which users may write.
// Every folder is opened beneath the root folder and changed through its descriptor, so that links
// and renames by users cannot direct a change to another file.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

struct CheckpointFolder {
  std::string root;     // path of the folder that all nodes share, for messages
  std::string job;      // name of the job's folder in `root`; this process's user owns it
  std::string attempt;  // name of the attempt's folder in that; the job's user owns it
  uid_t uid = 0;
  gid_t gid = 0;
};

struct FolderRefused {
  Refusal why;
  // The name is taken by a link, a file or the folder of another user. Then the node is not at
  // fault.
  bool name_taken = false;
};

// Makes the job's folder and the attempt's folder; returns none if they exist then. `root`: the
// opened root folder. If this process runs as another user than the job's, it owns the job's
// folder, with mode 0711, and the job's user owns the attempt's. If refused, existing folders stay
// unchanged.
std::optional<FolderRefused> make_checkpoint_folder(int root, const CheckpointFolder& wanted);

}  // namespace cox
