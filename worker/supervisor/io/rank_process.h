// Starting one rank: a child that becomes the user, opens its files as the user and execs. Nothing
// here waits: how the start went is read from `report`, which is closed by a successful exec.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/result.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/descriptor.h"

namespace cox {

struct RankCommand {
  std::vector<std::string> words;        // the program is looked up in the environment's PATH
  std::vector<std::string> environment;  // NAME=value
  std::string work_dir;
  std::string input;
  std::string output;
  std::string error;
  uid_t uid = 0;
  gid_t gid = 0;
};

struct RankProcess {
  std::int32_t rank = 0;
  pid_t pid = 0;  // also its process group
  Descriptor report;
  std::string failure;    // what the report said so far
  bool is_known = false;  // its start or its failure has been told
};

Result<RankProcess> start_rank(std::int32_t rank, const RankCommand& command,
                               const Containment& containment);

// A report's two parts: the exit code to tell, and what to say of it.
struct StartFailure {
  std::int32_t exit_code = 1;
  std::string note;
};
StartFailure parse_start_failure(const std::string& report);

// In a child of ours: everything the supervisor changed about signals is put back, and the child
// dies with its parent. Exits when the parent is gone already.
void become_plain_child(pid_t parent);
// A no-op when it is who we are already. False: not allowed.
bool become_user(uid_t uid, gid_t gid);

}  // namespace cox
