// Small files that must survive a crash, and folders that must go away whole. Used by supervisors
// and by the worker's launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"

namespace cox {

// "PATH: cannot VERB: strerror".
Refusal io_refusal(const std::string& path, const std::string& verb, int error);

// None: there is no such file, or it is larger than bytes_max, or it cannot be read.
std::optional<std::string> read_file(const std::string& path, std::size_t bytes_max);

// What a file must outlive: the processes alone (most of a spool tells of processes, which do not
// outlive the machine), or the machine's going down, for which its disk is waited for.
enum class Outlives : std::uint8_t { Processes, Machine };

// For a file that nobody reads before it is whole.
Failure write_file(const std::string& path, const std::string& content, unsigned mode,
                   Outlives outlives);

// The file has either its old or its new content, whatever dies; of Machine, durable on return.
Failure replace_file(const std::string& path, const std::string& content, unsigned mode,
                     Outlives outlives);

// Like mkdir -p; existing folders keep their mode.
Failure make_folders(const std::string& path, unsigned mode);

// Makes the names in a folder durable.
Failure sync_folder(const std::string& path);

// Removes a folder and all below it, following no symbolic link. What is gone already is no
// failure.
Failure remove_tree(const std::string& path);

// <job_checkpoint_dir>/attempt-K/step-N. Its manifests go first, so that what is left by a crash
// half-way never verifies.
Failure remove_checkpoint_files(const std::string& job_checkpoint_dir, AttemptNumber attempt,
                                std::int64_t step);

// Removes the attempt's folder, and the job's, where nothing is in them.
void remove_empty_folders(const std::string& job_checkpoint_dir, AttemptNumber attempt);

}  // namespace cox
