// Messages of sattach. It creates a step without tasks, which is attached to the tasks of another
// step of the attempt. The StepBegin of such a step has a special command, which srun never sends:
// attach_command().
#pragma once

#include <cstdint>
#include <optional>

#include "common/messages/stream_messages.h"

namespace cox {

TaskCommand attach_command(std::int32_t step);
// Returns the step to which this one attaches; nothing if it is an ordinary step with tasks.
std::optional<std::int32_t> attached_step(const StepBegin& begin);

}  // namespace cox
