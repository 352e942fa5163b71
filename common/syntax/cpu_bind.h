// The option --cpu-bind: to which CPUs each task of a step is bound. srun sends its value to the
// nodes in SLURM_CPU_BIND, a variable that tasks get in any case.
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
    Units,     // so many whole threads, cores, sockets or NUMA domains as hold the task's CPUs
    Rank,      // one of the step's CPUs for each task, by its local id
    Map,       // the CPU of the node whose number the list has
    Mask,      // the CPUs of the node whose bits are set in the list's mask
    LdomRank,  // LdomRank, LdomMap, LdomMask: the same with NUMA domains instead of CPUs
    LdomMap,
    LdomMask,
  };
  enum class Unit : std::uint8_t { None, Threads, Cores, Sockets, Ldoms };
  Kind kind = Kind::Unasked;
  Unit unit = Unit::None;
  bool verbose = false;  // each task prints the mask of its CPUs
  std::vector<IdSet> list{};
};

// Parses "verbose,mask_cpu:0x1,0x2", "q" or "cores". A list after a colon extends to the end of the
// text.
Result<CpuBind> parse_cpu_bind(std::string_view text);

// Returns the value of SLURM_CPU_BIND_TYPE: "none", "mask_cpu:" or "cores,mask_cpu:".
std::string type_text(const CpuBind& bind);
// Returns the value of SLURM_CPU_BIND_LIST.
std::string list_text(const CpuBind& bind);

}  // namespace cox
