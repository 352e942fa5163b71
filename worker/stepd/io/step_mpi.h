// How MPI programs among a step's tasks find each other (srun --mpi): one of these for each step on
// each node. Both kinds are asked the same: what a task needs before it starts, and what becomes of
// a fence, in which all tasks of all nodes tell each other something (StepGather, StepGathered).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/job/step.h"
#include "common/messages/stream_messages.h"
#include "worker/stepd/io/watches.h"

namespace cox {

class PmixHost;

// A task asked for the end of them all.
struct MpiAbort {
  std::string message;
};
using MpiWord = std::variant<StepGather, MpiAbort>;

class StepMpi {
 public:
  virtual ~StepMpi() = default;
  // Before a task starts: variables for it, and a descriptor that it inherits; -1: none.
  virtual Result<int> prepare(std::size_t local, std::vector<std::string>& environment) = 0;
  // It has started, or never will.
  virtual void started(std::size_t) {}
  // Its descriptor is ready (Watches::Kind::Mpi).
  virtual std::vector<MpiWord> on_ready(std::size_t) { return {}; }
  virtual std::vector<MpiWord> on_gathered(const StepGathered& gathered) = 0;
};

// "pmi2": PMI-1 and PMI-2 on a socket a task.
std::unique_ptr<StepMpi> open_pmi(const StepLaunch& launch, const StepBegin& begin,
                                  const std::string& name, Watches& watches);

}  // namespace cox
