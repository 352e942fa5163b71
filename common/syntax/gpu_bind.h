// The option --gpu-bind: which of the step's GPUs on a node each task sees. srun sends its value to
// the nodes in SLURM_GPU_BIND. GPUs are numbered within the step, from 0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/syntax/bind_list.h"

namespace cox {

struct GpuBind {
  enum class Kind : std::uint8_t {
    Unasked,
    None,     // each task sees all GPUs of the step
    Closest,  // each task sees the GPUs that are closest to its CPUs
    Single,   // `count` tasks share one GPU
    Map,
    Mask,
    PerTask,  // each task sees `count` GPUs of its own
  };
  Kind kind = Kind::Unasked;
  bool verbose = false;
  std::int64_t count = 1;
  std::vector<IdSet> list{};
};

Result<GpuBind> parse_gpu_bind(std::string_view text);  // "verbose,map_gpu:0,1", "single:2"

// Returns for each of `tasks` tasks the GPUs that it sees, on a node where the step has `gpus`
// GPUs. `all_are_close`: every GPU is equally close to every CPU. Refuses the number of a GPU that
// the step does not have.
Result<std::vector<IdSet>> gpus_of_tasks(const GpuBind& bind, std::size_t tasks, std::size_t gpus,
                                         bool all_are_close);

}  // namespace cox
