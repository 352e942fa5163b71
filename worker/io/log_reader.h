// Answers readers of logs: a piece of one rank's output file, read by client and worker directly.
// Every request is answered at once with what is there, so the reader's own pace is the
// back-pressure.
#pragma once

#include "common/messages.h"

namespace cox {

Reply read_log(std::int64_t number, const ReadLog& ask);

}  // namespace cox
