#include "common/io/output_folders.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cox {
namespace {

constexpr mode_t folder_mode = 0755;
constexpr mode_t file_mode = 0666;

// Makes the missing folders above `path`. Ignores errors: the open() that follows reports them.
void make_folders_above(const std::string& path) {
  std::array<char, PATH_MAX> part{};
  if (path.empty() || path.size() >= part.size()) return;
  path.copy(part.data(), path.size());
  for (char* slash = std::strchr(part.data() + 1, '/'); slash != nullptr;
       slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    ::mkdir(part.data(), folder_mode);
    *slash = '/';
  }
}

}  // namespace

int open_output(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags, file_mode);
  if (fd >= 0 || errno != ENOENT || (flags & O_CREAT) == 0) return fd;
  make_folders_above(path);
  return ::open(path.c_str(), flags, file_mode);
}

}  // namespace cox
