// `cox checkpoints`: shows the committed checkpoints. `cox checkpoints orphans`: shows folders that
// belong to no checkpoint in the database.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_checkpoints(const CheckpointList& list, const Screen& screen);

// A folder below the checkpoint root: that of a training step, or the folder of a job or an attempt
// without any folder of a step.
struct CheckpointFolder {
  std::string path;
  std::int64_t bytes = 0;
};

// Returns those of the folders that belong neither to a checkpoint of the list nor to an attempt
// that runs. REQUIRES: the list has the checkpoints of all jobs, and was requested after the
// folders were found.
std::vector<CheckpointFolder> orphans_of(const CheckpointList& list,
                                         std::vector<CheckpointFolder> found);
std::string show_orphans(const std::vector<CheckpointFolder>& orphans);

}  // namespace cox
