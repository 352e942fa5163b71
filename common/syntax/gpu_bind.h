// --gpu-bind: which of a step's GPUs on a node each of its tasks there sees. From srun to the nodes
// it goes as SLURM_GPU_BIND. GPUs are counted among the step's, from 0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/syntax/bind_list.h"

namespace cox {

struct GpuBind {
  enum class Kind : std::uint8_t {
    Unasked,
    None,     // all of them
    Closest,  // those beside its CPUs
    Single,   // one, for `count` tasks each
    Map,
    Mask,
    PerTask,  // `count` of its own
  };
  Kind kind = Kind::Unasked;
  bool verbose = false;
  std::int64_t count = 1;
  std::vector<IdSet> list{};
};

Result<GpuBind> parse_gpu_bind(std::string_view text);  // "verbose,map_gpu:0,1", "single:2"

// Of each of so many tasks on a node where the step has so many GPUs; whether all are as close to
// one CPU as to the other is the node's to say.
Result<std::vector<IdSet>> gpus_of_tasks(const GpuBind& bind, std::size_t tasks, std::size_t gpus,
                                         bool all_are_close);

}  // namespace cox
