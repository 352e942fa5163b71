// Sealing makes what a rank saved a fact: every file is hashed and synced and written down in a
// manifest beside it, which is renamed into place last. Verifying reads it all again.
//
//   <attempt dir>/step-N/rank-R            a folder or a file, or nothing at all
//   <attempt dir>/step-N/rank-R.manifest   worker/supervisor/manifest.h
//
// Slow: run these in a process of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/attempt.h"

namespace cox {

// The manifest names the identity of the job that saved it, if it has one.
Result<SavedStep> seal(const std::string& attempt_dir, std::int64_t step, std::int32_t rank,
                       const std::string& identity);

// The newest step above `above_step` of which the rank has saved something.
std::optional<std::int64_t> newest_step(const std::string& attempt_dir, std::int32_t rank,
                                        std::int64_t above_step);

// None: everything is as it was when it was sealed, by the job with this identity. Otherwise what
// is damaged, or that it is the checkpoint of another job. A manifest without an identity is that
// of a supervisor of the version before: it can be any job's.
Failure verify(const std::string& step_dir, std::int32_t rank, const std::string& identity);

}  // namespace cox
