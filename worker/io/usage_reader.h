// Answers sstat: samples the current processes of an attempt and their usage from /proc. Keeps no
// state; every request is answered at once.
#pragma once

#include <string>

#include "common/messages/messages.h"

namespace cox {

// Returns the reply to request `number`. `folder`: that of the attempt's supervisor.
Reply sample_usage(std::int64_t number, const std::string& folder);

}  // namespace cox
