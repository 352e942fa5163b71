// Where in its allocation a step's tasks go. Pure: the allocation's nodes with what is free of them
// in, the step's nodes out; or that it has to wait; or why it can never be.
//
// By Slurm's rules (srun(1)): every node gets a task at least; "block" fills them in the order of
// the allocation, as far as their CPUs go, "cyclic" deals the tasks out in turns, "plane" in turns
// of so many, "arbitrary" puts each task on the node that the list names for it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/job/resources.h"
#include "common/job/step.h"

namespace cox {

struct StepRoom {
  const NodeGrant* grant = nullptr;
  std::int64_t cpus = 0;           // that no step holds
  std::int64_t memory_mb = 0;      // likewise; of a grant without memory it does not matter
  std::vector<std::int32_t> gpus;  // likewise
};

struct StepWaits {
  std::string why;
};

using StepPlaced = std::variant<std::vector<StepNode>, StepWaits, Refusal>;

// `rooms`: the allocation's nodes, in their order.
StepPlaced place_step(const StepSpec& spec, const std::vector<StepRoom>& rooms);

}  // namespace cox
