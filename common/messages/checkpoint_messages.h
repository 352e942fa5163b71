// The requests of clients about checkpoints, and the replies. messages.h lists the sender and
// receiver of each message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/job/attempt.h"
#include "common/job/job.h"

namespace cox {

// Lists the checkpoints whose files exist, ordered by job, attempt and step. Jobs that ended long
// ago are included.
struct ListCheckpoints {
  static constexpr int tag = 72;
  static constexpr int since_version = 2;
  std::vector<JobId> ids;  // only checkpoints of these jobs; empty: of all
  JobId after;             // last job of the page before; 0: the first page
  COX_FIELDS(ids, after);
};

// Removes one or all checkpoints of a job. The reply is Acted.
struct RemoveCheckpoints {
  static constexpr int tag = 73;
  static constexpr int since_version = 2;
  JobId id;
  std::int64_t step = -1;  // the checkpoint of this training step; below 0: all
  COX_FIELDS(id, step);
};

// Asks nodes to read the checkpoints of a job in memory and to compare them with what was sealed.
// The reply is Acted, before they are read; the outcome is in the job's history.
struct VerifyCheckpoints {
  static constexpr int tag = 143;
  static constexpr int since_version = 2;
  JobId id;
  std::int64_t step = -1;  // the checkpoint of this training step; below 0: all
  COX_FIELDS(id, step);
};

struct CheckpointView {
  Checkpoint checkpoint;
  std::string job_name;
  std::string user_name;
  JobState state = JobState::Pending;
  Wall ended{};        // when the job ended; Wall{}: it has not ended
  Wall kept_until{};   // when the controller removes it; Wall{}: not decided
  std::string folder;  // folder of its files, on the shared storage
  JobId array_job{};   // array of the job; 0: it is no array task
  std::int32_t array_task = -1;  // number of the task; -1: it is no array task
  COX_FIELDS(checkpoint, job_name, user_name, state, ended, kept_until, folder, array_job,
             array_task);
};

struct CheckpointList {
  static constexpr int tag = 96;
  static constexpr int since_version = 2;
  std::vector<CheckpointView> checkpoints;
  bool more = false;
  std::string root;  // checkpoint_root of the cluster
  // Folders of attempts whose saves may still become checkpoints, relative to `root`: of those that
  // have not ended, and of the newest of each job that waits to start again.
  std::vector<std::string> live_folders;
  COX_FIELDS(checkpoints, more, root, live_folders);
};

}  // namespace cox
