// --cpu-bind: the CPUs that each task of a step is kept to. From srun to the nodes it goes as the
// variable that tasks have of it anyway, SLURM_CPU_BIND.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/syntax/bind_list.h"

namespace cox {

struct CpuBind {
  enum class Kind : std::uint8_t {
    Unasked,
    None,
    Units,     // as many whole threads, cores, ... as its CPUs are in
    Rank,      // one of the step's CPUs
    Map,       // the node's CPU of that number
    Mask,      // the node's CPUs of those bits
    LdomRank,  // the same with NUMA domains, these three
    LdomMap,
    LdomMask,
  };
  enum class Unit : std::uint8_t { None, Threads, Cores, Sockets, Ldoms };
  Kind kind = Kind::Unasked;
  Unit unit = Unit::None;
  bool verbose = false;  // each task tells its mask
  std::vector<IdSet> list{};
};

// "verbose,mask_cpu:0x1,0x2", "q", "cores"; the list goes on to the end.
Result<CpuBind> parse_cpu_bind(std::string_view text);

// Of SLURM_CPU_BIND_TYPE: "none", "mask_cpu:", "cores,mask_cpu:".
std::string type_text(const CpuBind& bind);
// Of SLURM_CPU_BIND_LIST.
std::string list_text(const CpuBind& bind);

}  // namespace cox
