#include "worker/supervisor/io/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "common/job/supervisor_folder.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

Result<Descriptor> lock_folder(const std::string& folder) {
  const std::string path = folder + "/" + supervisor_folder::identity_file;
  Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return io_refusal(path, "lock", errno);
  }
  return lock;
}

bool has_lock_file(const std::string& folder) {
  const std::string path = folder + "/" + supervisor_folder::identity_file;
  return ::access(path.c_str(), F_OK) == 0 || errno != ENOENT;
}

}  // namespace cox
