// sbcast: a file, from here to the same place on every node of a job. It is a step like any other:
// one task a node that takes the file as its input and renames it into place when it has all of it.
// Pure.
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
  std::string program = "sbcast";  // named in messages; "srun" for srun --bcast
  bool force = false;              // replaces an existing file
  bool preserve = false;           // keeps the file's mode and time
  std::string job;                 // JOB, or JOB.STEP, whose step is ignored; empty: SLURM_JOB_ID
  std::string source;
  std::string destination;
};
// Or what is said instead: --help, --version, getopt's words for what it does not know.
using ReadBroadcast = std::variant<BroadcastOptions, Shown>;
Result<ReadBroadcast> parse_broadcast(const std::vector<std::string>& words);
std::span<const WordOption> broadcast_options();

struct BroadcastSource {
  std::uint32_t mode = 0644;   // permission bits
  std::int64_t changed_s = 0;  // since 1970
  std::int64_t bytes = 0;
  std::string input;  // the path that srun reads it by: no pattern, and no word of its --input
};

// The words of the srun that does it, on so many nodes.
std::vector<std::string> broadcast_words(const BroadcastOptions& asked, const BroadcastSource& file,
                                         std::int64_t nodes);

}  // namespace cox
