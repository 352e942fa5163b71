#include "client/io/known_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cox {
namespace {

// Returns the errno that opening the file for writing would give; 0: none. srun makes missing
// folders, so the nearest folder that exists decides about a new file.
int write_error(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0) {
    if (S_ISDIR(about.st_mode)) return EISDIR;
    return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  if (errno != ENOENT) return errno;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  while (::access(folder.c_str(), W_OK | X_OK) != 0) {
    if (errno != ENOENT || folder == folder.parent_path()) return errno;
    folder = folder.parent_path();
  }
  return 0;
}

Refusal cannot_open(const std::string& path, int error, const char* hint) {
  return {"cannot open " + path + ": " + std::strerror(error), hint};
}

}  // namespace

Failure check_known_files(const KnownFiles& files) {
  if (!files.input.empty() && ::access(files.input.c_str(), R_OK) != 0)
    return cannot_open(files.input, errno, "name a file that you can read with --input");
  for (const std::string& path : files.outputs)
    if (const int error = write_error(path); error != 0)
      return cannot_open(path, error, "name a file that you can write with --output or --error");
  return std::nullopt;
}

}  // namespace cox
