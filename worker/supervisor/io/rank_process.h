// Starts one rank: a child that becomes the user, opens its files as the user and execs the rank's
// command. Does not block: the owner reads from `report` why the start failed; a successful exec
// closes `report`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/job/soft_limits.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/task_programs.h"

namespace cox {

struct RankPlace {
  std::string work_dir;
  std::string input;
  std::string output;
  std::string error;
};

struct RankCommand {
  std::vector<std::string> words;  // the command; the program is looked up in PATH of `environment`
  std::vector<std::string> environment;  // NAME=value
  RankPlace place;
  std::optional<RankPlace> otherwise;  // used if `place` cannot be entered; none: the start fails
  bool keeps_error = false;            // see RankProcess
  std::vector<TaskProgram> prologs;    // task prologs, which run first (task_programs.h)
  // Soft limits (ulimit -S) of the process that submitted the job.
  std::vector<SoftLimit> soft_limits;
  uid_t uid = 0;
  gid_t gid = 0;
};

struct RankProcess {
  std::int32_t rank = 0;
  pid_t pid = 0;  // pid, and number of its process group
  Descriptor report;
  // With keeps_error: the child passes its standard error here (kept_stream.h).
  Descriptor error_kept;
  std::string failure;    // text of `report` that was read so far
  bool is_known = false;  // its start, or that it failed, has been reported
};

Result<RankProcess> start_rank(std::int32_t rank, const RankCommand& command,
                               const Containment& containment);

}  // namespace cox
