// How much of a node's free GPUs the usual jobs could use. A placement should reduce it as little
// as possible. This is the fragmentation gradient of FGD (Weng et al., USENIX ATC'23) with two
// changes, found on Alibaba's openb trace (figures in bench/measured.md):
//
//   usefulness(node) = sum over the usual tasks m that fit the node of  weight_m · usable_m
//   usable_m = 0.7 · A_m + 0.3 · min(A_m, cpus / cpus_m · gpus_m · milli_m)
//   A_m      = the free thousandths of its devices with room for one of m's GPUs
//   weight_m ∝ count_m · sqrt(all GPUs / GPUs of the types m accepts)
//
// FGD has usable_m = A_m and weight_m ∝ count_m. Our usable_m makes scarce CPUs matter before they
// run out. Our weight_m keeps scarce GPU types for the jobs that can use no other type.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/model/demand_profile.h"
#include "schedule/model/nodes.h"

namespace cox::schedule {

class Usefulness {
 public:
  Usefulness() = default;  // no usual requests are known: has_usual_requests() is false
  Usefulness(const Nodes& nodes, const DemandProfile& usual);

  bool has_usual_requests() const { return !sorts_.empty(); }

  // Returns the usefulness of a node with this much free. `gpu_milli`: free thousandths by device.
  double of(NodeAt at, std::int64_t cpus, std::span<const std::uint16_t> gpu_milli) const;

 private:
  struct Task {
    double cpus = 0;
    std::int64_t gpus = 0;
    // all GPUs that it needs on a node, in thousandths
    double share_milli = 0;
    double weight = 0;
    std::size_t pool = 0;
  };
  // Devices that a task may use, and how many thousandths of one it needs.
  struct Pool {
    GpuBits devices = 0;
    std::int32_t milli = gpu_whole;
    bool operator==(const Pool&) const = default;
  };
  // Nodes with the same GPU types on the same devices.
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
