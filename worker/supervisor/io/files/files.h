// Writes small files that must survive a crash, and removes whole folders. Used by supervisors and
// by the worker's launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

// Returns "PATH: cannot VERB: strerror".
Refusal io_refusal(const std::string& path, const std::string& verb, int error);

// Returns the content. None: the file does not exist, is larger than bytes_max or is unreadable.
std::optional<std::string> read_file(const std::string& path, std::size_t bytes_max);

// What a file must outlive. Processes: a crash of the programs; enough for most files of the spool,
// which describe processes. Machine: a crash of the machine, by waiting for the disk.
enum class Outlives : std::uint8_t { Processes, Machine };

// Writes a file, not atomically: for files that no process reads before this returns.
Failure write_file(const std::string& path, const std::string& content, unsigned mode,
                   Outlives outlives);

// Replaces a file atomically: after any crash it has its old or its new content. With Machine, the
// new content is durable on return.
Failure replace_file(const std::string& path, const std::string& content, unsigned mode,
                     Outlives outlives);

// Like mkdir -p; existing folders keep their mode.
Failure make_folders(const std::string& path, unsigned mode);

// Makes the names in a folder durable: files that were made or renamed in it survive a crash of the
// machine (fsync).
Failure sync_folder(const std::string& path);

// Removes a folder and everything below it, without following symbolic links. Succeeds if it does
// not exist.
Failure remove_tree(const std::string& path);

// Removes <job_checkpoint_dir>/attempt-K/step-N. Removes its manifests first: if a crash interrupts
// this, the files that are left do not verify as a checkpoint.
Failure remove_checkpoint_files(const std::string& job_checkpoint_dir, AttemptNumber attempt,
                                std::int64_t step);

// Removes the attempt's folder and the job's folder if they are empty.
void remove_empty_folders(const std::string& job_checkpoint_dir, AttemptNumber attempt);

}  // namespace cox
