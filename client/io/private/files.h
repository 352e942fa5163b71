// Reads and writes small files as a whole, mostly those of a private cluster.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

std::optional<std::string> read_file(const std::string& path);
// Reads a file that need not exist: nullopt if it does not, a Refusal if it may exist and
// cannot be read.
Result<std::optional<std::string>> read_file_if_any(const std::string& path);
// Reads a file that a user names, which may be endless. Returns at most named_file_bytes_max + 1
// bytes, so that the caller can refuse a larger file. nullopt: it cannot be read, for example
// because it is a folder.
std::optional<std::string> read_named_file(const std::string& path);
// Writes the text into the file itself (no rename), creating it if needed. The file may be a
// device.
Failure write_into(const std::string& path, const std::string& text);
// Replaces the file atomically: writes PATH.new and renames it. Mode 0600.
Failure write_file(const std::string& path, const std::string& text);
// Makes the folder and its parents if they do not exist. A Refusal if it is not a folder of this
// user.
Failure make_folder(const std::string& path, mode_t mode);
// Makes a folder with a random name that begins with `prefix`, mode 0700.
Result<std::string> make_unique_folder(const std::string& prefix);
bool is_folder_of(const std::string& path, uid_t uid);

}  // namespace cox
