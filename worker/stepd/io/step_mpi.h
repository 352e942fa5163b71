// The interface to the PMI of a step on one node (srun --mpi), by which MPI programs exchange
// addresses. There are two implementations: PMI-1/2 and PMIx. Both add variables to a task's
// environment before it starts, and take part in fences, in which all tasks of the step exchange
// data (StepGather, StepGathered).
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

// A task asks to end all tasks of the step.
struct MpiAbort {
  std::string message;
};
using MpiEvent = std::variant<StepGather, MpiAbort>;

class StepMpi {
 public:
  virtual ~StepMpi() = default;
  // Adds variables to the environment of a task that will start. Returns a descriptor that the task
  // inherits; -1: none.
  virtual Result<int> prepare(std::size_t local, std::vector<std::string>& environment) = 0;
  // Called when the task has started, or its start has failed.
  virtual void started(std::size_t) {}
  // Called when the task's descriptor is readable (Watches::Kind::Mpi).
  virtual std::vector<MpiEvent> on_ready(std::size_t) { return {}; }
  virtual std::vector<MpiEvent> on_gathered(const StepGathered& gathered) = 0;
};

// Opens the PMI of srun --mpi=pmi2: it serves PMI-1 and PMI-2, with a socket for each task.
std::unique_ptr<StepMpi> open_pmi(const StepLaunch& launch, const StepBegin& begin,
                                  const std::string& name, Watches& watches);

}  // namespace cox
