// Where a rank's output goes: Slurm's file name patterns, filled in. The supervisor opens these
// files and the controller tells readers of logs where they are, so both use this. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/ids.h"
#include "common/job/job.h"

namespace cox {

// One rank (or the batch script) as its file names see it.
struct OutputPlace {
  AttemptKey key;
  std::string node;              // %N
  std::int32_t node_index = 0;   // %n
  std::int32_t rank = 0;         // %t
  JobId array_job{};             // %A
  std::int64_t array_task = -1;  // %a
  std::int32_t step = -1;        // %s; -1: of no step of srun's
};

// %j job, %J job.step, %s step, %t rank, %n node index, %N node, %u user, %x job name, %A %a array
// and task, %% percent. A number between % and a letter pads numbers with
// zeros to at most ten digits. A pattern with a backslash is taken as it is, without backslashes.
std::string fill_pattern(const std::string& pattern, const JobSpec& spec, const OutputPlace& place);

// Absolute. The form's default is "slurm-%j.out" for a script, as under Slurm, and one file a rank,
// "slurm-%j.%t.out", for a gang; of a task of an array "slurm-%A_%a" instead of "slurm-%j".
std::string output_path(const JobSpec& spec, const OutputPlace& place);
std::string error_path(const JobSpec& spec, const OutputPlace& place);  // may be output_path
std::string input_path(const JobSpec& spec, const OutputPlace& place);  // default: /dev/null

}  // namespace cox
