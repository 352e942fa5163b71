// Starting one rank: a child that becomes the user, opens its files as the user and execs. Nothing
// here waits: how the start went is read from `report`, which is closed by a successful exec.
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
  std::vector<std::string> words;        // the program is looked up in the environment's PATH
  std::vector<std::string> environment;  // NAME=value
  RankPlace place;
  std::optional<RankPlace> otherwise;  // where that folder cannot be entered; none: it fails
  bool keeps_error = false;            // see RankProcess
  std::vector<TaskProgram> prologs;    // run first; see task_programs.h
  std::vector<SoftLimit> soft_limits;  // soft limits of the submitting process
  uid_t uid = 0;
  gid_t gid = 0;
};

struct RankProcess {
  std::int32_t rank = 0;
  pid_t pid = 0;  // also its process group
  Descriptor report;
  Descriptor error_kept;  // its standard error waits there: kept_stream.h
  std::string failure;    // what the report said so far
  bool is_known = false;  // its start or its failure has been told
};

Result<RankProcess> start_rank(std::int32_t rank, const RankCommand& command,
                               const Containment& containment);

}  // namespace cox
