// The requests of clients about checkpoints, and the replies. messages.h tells who sends which.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/job/attempt.h"
#include "common/job/job.h"

namespace cox {

// Checkpoints whose files have not been removed, by job, attempt and step; also those of jobs that
// ended long ago.
struct ListCheckpoints {
  static constexpr int tag = 72;
  static constexpr int since_version = 2;
  std::vector<JobId> ids;  // empty: of all jobs
  JobId after;             // the page begins behind this job
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.after);
  }
};

// Removes checkpoints of one job. Answered as an act.
struct RemoveCheckpoints {
  static constexpr int tag = 73;
  static constexpr int since_version = 2;
  JobId id;
  std::int64_t step = -1;  // -1: all of them
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.step);
  }
};

struct CheckpointView {
  Checkpoint checkpoint;
  std::string job_name;
  std::string user_name;
  JobState state = JobState::Pending;
  Wall ended{};        // the job; Wall{}: it has not
  Wall kept_until{};   // Wall{}: nothing removes it yet
  std::string folder;  // of its files, on the shared storage
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.checkpoint, self.job_name, self.user_name, self.state, self.ended, self.kept_until,
          self.folder);
  }
};

struct CheckpointList {
  static constexpr int tag = 96;
  static constexpr int since_version = 2;
  std::vector<CheckpointView> checkpoints;
  bool more = false;
  std::string root;                       // the checkpoint folder of the cluster
  std::vector<std::string> live_folders;  // of attempts that have not ended, below the root
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.checkpoints, self.more, self.root, self.live_folders);
  }
};

}  // namespace cox
