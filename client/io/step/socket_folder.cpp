#include "client/io/step/socket_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "client/io/private/files.h"

namespace cox {
namespace {

namespace fs = std::filesystem;

std::string lock_path(const std::string& folder) {
  return folder + "/lock";
}

void remove_folder(const std::string& folder) {
  ::unlink((folder + "/s").c_str());
  ::unlink(lock_path(folder).c_str());
  ::rmdir(folder.c_str());
}

// Removes the folder if its lock is free. Without a lock file nothing shows whether its process
// lives: it may be about to make the file.
void remove_if_left(const std::string& folder) {
  if (!is_folder_of(folder, ::geteuid())) return;
  const int lock = ::open(lock_path(folder).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (lock < 0) return;
  struct stat file {};
  // A lock file without a link was removed by another process, so the name may be used again.
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock, &file) == 0 && file.st_nlink > 0)
    remove_folder(folder);
  ::close(lock);
}

void remove_left_folders(const std::string& prefix) {
  const fs::path parent = fs::path(prefix).parent_path();
  std::error_code error;
  for (fs::directory_iterator one(parent, error), end; !error && one != end; one.increment(error))
    if (one->path().string().starts_with(prefix)) remove_if_left(one->path().string());
}

// Makes the lock file under another name first, so that no process ever finds it unlocked while
// this process lives. Returns its descriptor; -1 with errno if it cannot be made.
int make_locked(const std::string& folder) {
  const std::string made = lock_path(folder) + ".new";
  const int lock = ::open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock < 0) return lock;
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0 &&
      ::rename(made.c_str(), lock_path(folder).c_str()) == 0)
    return lock;
  const int failed = errno;
  ::unlink(made.c_str());
  ::close(lock);
  errno = failed;
  return -1;
}

}  // namespace

Result<std::unique_ptr<SocketFolder>> SocketFolder::make(const std::string& prefix) {
  remove_left_folders(prefix);
  auto folder = make_unique_folder(prefix);
  // The hint of make_unique_folder() is about a private cluster, so another hint is given.
  if (!folder) return Refusal{folder.refusal().fact, "check that you may create folders in /tmp"};
  const int lock = make_locked(*folder);
  if (lock >= 0) return std::unique_ptr<SocketFolder>(new SocketFolder(*folder, lock));
  const int failed = errno;
  remove_folder(*folder);
  return Refusal{"cannot lock " + *folder + ": " + std::strerror(failed),
                 "check the space in /tmp"};
}

SocketFolder::~SocketFolder() {
  remove_folder(path_);
  ::close(lock_);
}

}  // namespace cox
