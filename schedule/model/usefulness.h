// How much of a node's free GPUs the usual jobs could use: what a placement should take least of.
// The fragmentation gradient of FGD (Weng et al., USENIX ATC'23), with two changes that were found
// on Alibaba's openb trace (bench/measured.md has the figures):
//
//   usefulness(node) = sum over the usual tasks m that fit the node of  weight_m · usable_m
//   usable_m = 0.7 · A_m + 0.3 · min(A_m, cpus / cpus_m · gpus_m · milli_m)
//   A_m      = the free thousandths of its devices with room for one of m's GPUs
//   weight_m ∝ count_m · sqrt(all GPUs / GPUs of the types m accepts)
//
// FGD itself has usable_m = A_m and weight_m ∝ count_m. The change of CPUs makes them a limit that
// is felt before it is reached; that of weights keeps scarce types for those who can use no other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/model/demand_profile.h"
#include "schedule/model/nodes.h"

namespace cox::schedule {

class Usefulness {
 public:
  Usefulness() = default;  // nothing is known to be useful
  Usefulness(const Nodes& nodes, const DemandProfile& usual);

  bool knows_anything() const { return !sorts_.empty(); }

  // Of a node with so much free. `gpu_milli`: by device.
  double of(NodeAt at, std::int64_t cpus, std::span<const std::uint16_t> gpu_milli) const;

 private:
  struct Task {
    double cpus = 0;
    std::int64_t gpus = 0;
    double share_milli = 0;  // of all its GPUs on a node
    double weight = 0;
    std::size_t pool = 0;
  };
  // Devices that a task may use, by how much of one it needs.
  struct Pool {
    GpuBits devices = 0;
    std::int32_t milli = gpu_whole;
    bool operator==(const Pool&) const = default;
  };
  // Nodes with the same types at the same places.
  struct Sort {
    std::vector<GpuKind> kinds;
    std::vector<Pool> pools;
    std::vector<Task> tasks;
  };

  void add(Sort& sort, const UsualRequest& task, double weight) const;

  std::vector<Sort> sorts_;
  std::vector<std::size_t> sort_of_;  // by node
};

}  // namespace cox::schedule
