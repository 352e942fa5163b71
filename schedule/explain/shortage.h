// What there is too little of for one job, and what of it somebody holds: for the explanations
// (explain.cpp, holders.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/explain/explain_context.h"

namespace cox::schedule {

// On a node, for an even part of the gang.
struct Shortage {
  bool cpus = false;
  bool memory = false;
  bool gpus = false;
  std::vector<std::int32_t> gres;  // kinds
};

// REQUIRES: the node has no room for it.
Shortage shortage_on(const ExplainContext& told, const ResolvedRequest& need, NodeAt at);

// Kinds of licences.
std::vector<std::int32_t> missing_licences(const ExplainContext& told, const ResolvedRequest& need);

// What a job holds of what is missing.
struct HeldPart {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpu_milli = 0;
  std::map<std::int32_t, std::int64_t> gres;

  bool is_nothing() const { return cpus == 0 && memory_mb == 0 && gpu_milli == 0 && gres.empty(); }
  void add(const HeldPart& other);
};

HeldPart held_of(const ExplainContext& told, const ResolvedRequest& need, const Shortage& missing,
                 const Holder& holder);

// "8 CPUs, 2 h100 GPUs and fpga:1"
std::string held_text(const ExplainContext& told, const ResolvedRequest& need,
                      const HeldPart& held);

// "4 of 4 CPUs, 1 of 2 fpga": of what the node has.
std::string part_text(const ExplainContext& told, const ResolvedRequest& need, NodeAt at,
                      const HeldPart& held);

}  // namespace cox::schedule
