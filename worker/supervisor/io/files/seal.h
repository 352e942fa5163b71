// Seals and verifies what a rank saved. Sealing syncs and hashes every file and lists them in a
// manifest, which is renamed into place last. Verifying reads and hashes all files again.
//
// What rank R saves in training step N, and the manifest that seal() writes for it:
//   <attempt dir>/step-N/rank-R            a folder or a file, or nothing at all
//   <attempt dir>/step-N/rank-R.manifest   worker/supervisor/manifest.h
//
// These functions are slow: call them in a process of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/job/attempt.h"

namespace cox {

// What becomes of a step in which the rank has no file.
enum class NoFiles : std::uint8_t { Sealed, Refused };

// The saver: the job's ranks or its script, or one of several job steps, which use the same names.
enum class SavedBy : std::uint8_t { Job, JobStep };

// Why a save is not sealed.
struct SealFault : Refusal {
  // An error of the file system says nothing about the save.
  SealFault(Refusal why) : Refusal(std::move(why)) {}
  bool is_unknown = true;  // whether the rank has saved is not known; false: it is no checkpoint
  // No file was read or synced yet. Else it must not be tried again: the kernel reports a failed
  // sync once, and the next one succeeds although the data are lost.
  bool may_retry = false;
};

// Seals a rank's files of a step. A job step is refused if other files were sealed for this rank
// and step. `identity`: that of the job, for the manifest; may be empty.
Result<SavedStep, SealFault> seal(const std::string& attempt_dir, std::int64_t step,
                                  std::int32_t rank, const std::string& identity,
                                  NoFiles no_files = NoFiles::Sealed,
                                  SavedBy saved_by = SavedBy::Job);

// Checks a step that the rank reports again. A fault that is not unknown: its files are not those
// that were sealed. A file is only read if its time of change is not before that of the manifest.
std::optional<SealFault> check_sealed(const std::string& attempt_dir, std::int64_t step,
                                      std::int32_t rank, const std::string& identity);

// Returns the newest training step above `above_step` for which the rank has saved something. A
// Refusal: the folder cannot be read, so it is not known.
Result<std::optional<std::int64_t>> newest_step(const std::string& attempt_dir, std::int32_t rank,
                                                std::int64_t above_step);

// Returns the ranks that have a manifest in the folder of a step. A Refusal: the folder cannot be
// read, or has none.
Result<std::vector<std::int32_t>> sealed_ranks(const std::string& step_dir);

// Why saved files could not be verified: they cannot be read here now, or they differ.
struct VerifyFault {
  ResumeFault kind = ResumeFault::Unreadable;
  Refusal why;
};

// Verifies that the files of these ranks in this step are as they were sealed, by the job with this
// identity. A fault names a file. It is Differs only if the file was read and is not what was
// sealed, or if another job saved it. A manifest without an identity (from a supervisor of the
// previous version) matches any job. `cpus`: how many files it may read at a time, at least 1.
std::optional<VerifyFault> verify(const std::string& step_dir,
                                  const std::vector<std::int32_t>& ranks,
                                  const std::string& identity, std::int64_t cpus);

}  // namespace cox
