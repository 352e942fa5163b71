// Chooses the nodes of a step of srun in its allocation, and the number of tasks on each. Pure.
//
// The rules are Slurm's (srun(1)). Every node gets at least one task. "block" fills the nodes in
// the order of the allocation, as far as their CPUs go. "cyclic" deals out one task at a time,
// "plane" as many as its size. "arbitrary" puts each task on the node that the list names for it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/job/resources.h"
#include "common/job/step.h"

namespace cox {

// What no step holds of one node's part of the allocation.
struct StepRoom {
  const NodeGrant* grant = nullptr;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;  // in MiB; ignored if the allocation has no memory of its own
  std::vector<std::int32_t> gpus;
};

// The result of place_step() for a step that fits into the allocation, but not beside the steps
// that run now.
struct StepWaits {
  std::string why;
};

using StepPlaced = std::variant<std::vector<StepNode>, StepWaits, Refusal>;

// Returns the step's nodes; StepWaits if other steps hold what this step needs; a Refusal if the
// step can never fit. `rooms`: all nodes of the allocation, in the order of the allocation.
StepPlaced place_step(const StepSpec& spec, const std::vector<StepRoom>& rooms);

}  // namespace cox
