// Which resources are too scarce for a waiting job, and how much of them each other job holds. For
// the explanations (explain.cpp, holders.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/explain/explain_context.h"

namespace cox::schedule {

// Which resources a node has too little of for an even part of the gang.
struct Shortage {
  bool cpus = false;
  bool memory = false;
  bool gpus = false;
  std::vector<std::int32_t> gres;  // kinds
};

// Returns what the node lacks. REQUIRES: the node has no room for an even part of the gang.
Shortage shortage_on(const ExplainContext& context, const ResolvedRequest& need, NodeAt at);

// Returns the kinds of licences of which too few are free for the job.
std::vector<std::int32_t> missing_licences(const ExplainContext& context,
                                           const ResolvedRequest& need);

// How much one job holds of the resources that a waiting job lacks, on one or more nodes.
struct HeldPart {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpu_milli = 0;
  std::map<std::int32_t, std::int64_t> gres;

  bool is_nothing() const { return cpus == 0 && memory_mb == 0 && gpu_milli == 0 && gres.empty(); }
  void add(const HeldPart& other);
};

HeldPart held_of(const ExplainContext& context, const ResolvedRequest& need,
                 const Shortage& missing, const Holder& holder);

// Returns "8 CPUs, 2 h100 GPUs and fpga:1"
std::string held_text(const ExplainContext& context, const ResolvedRequest& need,
                      const HeldPart& held);

// Returns "4 of 4 CPUs, 1 of 2 fpga": what the job holds of what the node has.
std::string part_text(const ExplainContext& context, const ResolvedRequest& need, NodeAt at,
                      const HeldPart& held);

}  // namespace cox::schedule
