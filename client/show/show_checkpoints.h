// `cox checkpoints`: the checkpoints that take room, and folders that the database does not know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_checkpoints(const CheckpointList& list, const Screen& screen);

// A folder of a step, or one above it in which there is none.
struct FolderFound {
  std::string path;
  std::int64_t bytes = 0;
};

// Returns the folders that belong to no checkpoint of the list. REQUIRES: the list has the
// checkpoints of all jobs, and was made after the folders were found.
std::vector<FolderFound> orphans_of(const CheckpointList& list, std::vector<FolderFound> found);
std::string show_orphans(const std::vector<FolderFound>& orphans);

}  // namespace cox
