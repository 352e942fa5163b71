// Answers sstat: what the processes of an attempt are and take now, as the kernel tells it. Nothing
// is kept; every request is answered at once.
#pragma once

#include <string>

#include "common/messages/messages.h"

namespace cox {

// `folder`: of its supervisor.
Reply sample_usage(std::int64_t number, const std::string& folder);

}  // namespace cox
