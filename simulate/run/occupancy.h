// Counts what the jobs hold, independently of the engine. The program stops if the engine gives out
// a resource twice, so each simulation also tests the engine.
//
// Fragmentation is that of FGD (USENIX ATC'23). For one node and one class of jobs it is the free
// GPU capacity that such a job cannot use. That is all of it if the node cannot take the job or the
// job needs no GPU, otherwise what is free on GPUs that are too full. The result is the mean over
// the classes, weighted by their number of jobs.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/run/engine.h"
#include "simulate/trace/cluster.h"

namespace cox::simulate {

class Occupancy {
 public:
  Occupancy(const Cluster& cluster, const std::vector<TraceJob>& jobs);

  void take(const Holdings& holdings);
  void give_back(const Holdings& holdings);

  std::int64_t cpu_milli_used() const { return cpu_milli_used_; }
  std::int64_t gpu_milli_used() const { return gpu_milli_used_; }
  double gpu_milli_fragmented() const { return fragmented_; }

 private:
  struct Free {
    std::int64_t cpu_milli = 0;
    std::int64_t memory_mb = 0;
    std::vector<std::int64_t> gpu_milli;  // of each GPU
    double fragmented = 0;
  };
  // Jobs that need the same of a node.
  struct Class {
    std::int64_t cpu_milli = 0;
    std::int64_t gpus = 0;
    std::int64_t gpu_milli = 0;
    std::vector<std::string> types;
    double weight = 0;
  };
  void change(const Holding& holding, std::int64_t sign);
  double fragmented_for(const Class& like, const Free& free, const ClusterNode& node) const;
  void look_again(std::int32_t node);

  static std::vector<Class> classes_of(const std::vector<TraceJob>& jobs);

  const Cluster& cluster_;
  std::vector<Class> classes_;
  std::vector<Free> free_;
  std::int64_t cpu_milli_used_ = 0;
  std::int64_t gpu_milli_used_ = 0;
  double fragmented_ = 0;
};

}  // namespace cox::simulate
