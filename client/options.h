// The base of all parsed command lines: the options that every command has. The structs of cox's
// commands are in client/job_lines.h and client/cluster_lines.h, those of Slurm's commands beside
// the commands.
#pragma once

#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/result.h"

namespace cox {

// The caller of the command: the local time, and a function that returns the user name.
struct CallerContext {
  LocalTime here;
  std::string (*user_name)() = nullptr;
};

struct Options {
  Options() = default;
  Options(const Options&) = default;
  Options& operator=(const Options&) = default;
  virtual ~Options() = default;

  // Computes what depends on the caller: --me becomes a user name, local times become UTC. Fails if
  // a value is wrong.
  virtual Failure resolve(const CallerContext&) { return std::nullopt; }

  std::string config;  // --config
  bool json = false;
  // --clusters or SLURM_CLUSTERS, for Slurm's commands that have it: the clusters that may answer
  std::vector<std::string> clusters;
};

}  // namespace cox
