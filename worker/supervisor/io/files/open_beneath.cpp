#include "worker/supervisor/io/files/open_beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cox {

Descriptor open_beneath(int folder, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // A direct system call, since glibc 2.36 has no wrapper. EAGAIN: a rename elsewhere ran at the
  // same time, so the kernel could not prove that ".." stays beneath. Our paths have no "..", but
  // openat2(2) says to try again.
  for (;;) {
    const long fd = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) return Descriptor(static_cast<int>(fd));
  }
}

}  // namespace cox
