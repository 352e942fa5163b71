// The lock of a supervisor's folder. The worker takes it and passes it to the supervisor, which
// holds it as long as it lives. So the lock shows whether the supervisor lives, also after crashes
// and after its pid was reused.
#pragma once

#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Locks the folder. Refused while another process holds the lock.
Result<Descriptor> lock_folder(const std::string& folder);

// Returns whether the folder has the file that is locked. Only its absence is no.
bool has_lock_file(const std::string& folder);

}  // namespace cox
