// sbcast: copies a file of this host to the same path on every node of a job. It runs a step with a
// task on each node; the task reads the file from its standard input, and renames it into place
// when it is complete. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/slurm/text/option_words.h"
#include "common/base/result.h"

namespace cox {

struct BroadcastOptions {
  std::string program = "sbcast";  // name in messages; srun --bcast sets "srun"
  bool force = false;              // --force: replace an existing file
  bool preserve = false;           // --preserve: copy the file's mode and time, too
  std::string job;                 // --jobid=JOB or JOB.STEP (STEP is ignored); empty: SLURM_JOB_ID
  std::string source;
  std::string destination;
};
// The parsed options, or the text to print instead: --help, --version or getopt's error.
using ReadBroadcast = std::variant<BroadcastOptions, Shown>;
Result<ReadBroadcast> parse_broadcast(const std::vector<std::string>& words);
std::vector<OptionForm> broadcast_options();

struct BroadcastSource {
  std::uint32_t mode = 0644;   // permission bits
  std::int64_t changed_s = 0;  // since 1970
  std::int64_t bytes = 0;
  std::string input;  // path that srun --input takes literally
};

// Returns the arguments of the srun command that copies the file to `nodes` nodes.
std::vector<std::string> broadcast_words(const BroadcastOptions& asked, const BroadcastSource& file,
                                         std::int64_t nodes);

}  // namespace cox
