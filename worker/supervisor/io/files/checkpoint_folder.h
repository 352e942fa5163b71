// Makes the checkpoint folder of an attempt, as root and below a root folder that users may write.
// Everything is opened beneath the root folder and changed through the opened descriptor, so no
// link or rename of a user's can turn it on other files.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

struct CheckpointFolder {
  std::string root;     // path of the folder that all nodes share, for messages
  std::string job;      // name in the root folder; stays ours
  std::string attempt;  // name in the job's folder; belongs to the user
  uid_t uid = 0;
  gid_t gid = 0;
};

struct FolderRefused {
  Refusal why;
  bool name_taken = false;  // by a link, a file or a folder of somebody else: no fault of the node
};

// root: the opened root folder. If this returns nothing, both folders exist. If the user is another
// one than we are, the job's folder belongs to us with mode 0711 and the attempt's to the user.
// What is refused stays as it is.
std::optional<FolderRefused> make_checkpoint_folder(int root, const CheckpointFolder& wanted);

}  // namespace cox
