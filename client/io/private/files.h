// Small files of a private cluster, whole.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

std::optional<std::string> read_file(const std::string& path);
// Reads a file that a user names, which may be endless: at most one byte more than
// named_file_bytes_max, for the caller to refuse. nullopt: it cannot be read, as a folder.
std::optional<std::string> read_named_file(const std::string& path);
// What is there is written to, a device too.
Failure write_into(const std::string& path, const std::string& text);
// Replaced whole (written beside it and renamed), mode 0600.
Failure write_file(const std::string& path, const std::string& text);
// Made if it is not there, with its parents; a Refusal when it is not a folder of this user.
Failure make_folder(const std::string& path, mode_t mode);
// A new folder with a random name that begins with `prefix`, mode 0700.
Result<std::string> make_unique_folder(const std::string& prefix);
bool is_folder_of(const std::string& path, uid_t uid);

}  // namespace cox
