// sattach: a step that has no tasks of its own but looks at those of another step of its attempt.
// Its client says so in place of a command, in words that no srun can say.
#pragma once

#include <cstdint>
#include <optional>

#include "common/messages/stream_messages.h"

namespace cox {

TaskCommand attach_command(std::int32_t step);
std::optional<std::int32_t> attached_step(const StepBegin& begin);  // which; nothing: it runs tasks

}  // namespace cox
