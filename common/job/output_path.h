// The paths of output files: Slurm's file name patterns, filled in. The supervisor opens these
// files, and the controller reports their paths to clients that read logs. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/ids.h"
#include "common/job/job.h"

namespace cox {

// The values for the file name patterns of one rank, or of the batch script.
struct OutputPlace {
  AttemptKey key;
  std::string node;              // %N
  std::int32_t node_index = 0;   // %n
  std::int32_t rank = 0;         // %t
  JobId array_job{};             // %A
  std::int64_t array_task = -1;  // %a
  std::int32_t step = -1;        // %s: number of the step of srun; -1: none
};

// Fills in %j job, %J job.step, %s step, %t rank, %n node index, %N node, %u user, %x job name,
// %A %a array and task, %% percent. A number between % and a letter pads numbers with zeros, to
// at most ten digits. In a pattern with a backslash, only the backslashes are removed.
std::string fill_pattern(const std::string& pattern, const JobSpec& spec, const OutputPlace& place);

// These return the absolute path of a rank's file. Without a pattern, the output of a script is
// "slurm-%j.out", as in Slurm; each rank of a gang has a file of its own, "slurm-%j.%t.out". For a
// task of an array, "slurm-%A_%a" replaces "slurm-%j".
std::string output_path(const JobSpec& spec, const OutputPlace& place);
std::string error_path(const JobSpec& spec, const OutputPlace& place);  // may be output_path
std::string input_path(const JobSpec& spec, const OutputPlace& place);  // default: /dev/null

}  // namespace cox
