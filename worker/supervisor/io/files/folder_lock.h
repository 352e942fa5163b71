// The lock of a supervisor's folder: held by the supervisor as long as it lives, from before it is
// started (the worker takes it and hands it over). So "is it alive" has an answer that neither a
// crash at any moment nor a pid that is used again can falsify.
#pragma once

#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Refused while another holds it.
Result<Descriptor> lock_folder(const std::string& folder);

}  // namespace cox
