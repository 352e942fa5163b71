#include "worker/supervisor/io/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "common/job/checkpoint_marker.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

namespace {

constexpr int depth_max = 256;

bool write_all(int fd, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::vector<std::string> names_in(int folder_fd) {
  std::vector<std::string> names;
  const int copy = ::openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = copy < 0 ? nullptr : ::fdopendir(copy);
  if (folder == nullptr) return names;
  while (const dirent* entry = ::readdir(folder)) {
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    names.emplace_back(entry->d_name);
  }
  ::closedir(folder);
  return names;
}

// Removes a file, or a folder and everything below it. Returns 0 or an errno.
int remove_below(int parent_fd, const std::string& name, int depth) {
  if (::unlinkat(parent_fd, name.c_str(), 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return errno;
  if (depth > depth_max) return ELOOP;
  {
    const Descriptor folder(
        ::openat(parent_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return errno;
    for (const std::string& entry : names_in(folder.get())) {
      if (const int error = remove_below(folder.get(), entry, depth + 1)) return error;
    }
  }
  return ::unlinkat(parent_fd, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Refusal io_refusal(const std::string& path, const std::string& verb, int error) {
  return Refusal{path + ": cannot " + verb + ": " + std::strerror(error), ""};
}

std::optional<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return std::nullopt;
  std::string content;
  char buffer[16384];
  while (content.size() <= bytes_max) {
    const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
  }
  return std::nullopt;
}

Failure write_file(const std::string& path, const std::string& content, unsigned mode,
                   Outlives outlives) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.is_open()) return io_refusal(path, "open", errno);
  if (!write_all(file.get(), content)) return io_refusal(path, "write", errno);
  if (outlives == Outlives::Machine && ::fsync(file.get()) != 0)
    return io_refusal(path, "sync", errno);
  return std::nullopt;
}

Failure replace_file(const std::string& path, const std::string& content, unsigned mode,
                     Outlives outlives) {
  // The temporary file has this process's pid in its name, because two processes may replace the
  // same file at once.
  const std::string temporary = path + "." + std::to_string(::getpid()) + ".tmp";
  Failure failure = write_file(temporary, content, mode, outlives);
  if (!failure && ::rename(temporary.c_str(), path.c_str()) != 0)
    failure = io_refusal(path, "rename", errno);
  if (!failure && outlives == Outlives::Machine) return sync_folder(parent_of(path));
  if (!failure) return std::nullopt;
  ::unlink(temporary.c_str());
  return failure;
}

Failure make_folders(const std::string& path, unsigned mode) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) {
      return io_refusal(part, "make folder", errno);
    }
    if (slash == std::string::npos) return std::nullopt;
  }
}

Failure sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.get()) != 0) return io_refusal(path, "sync", errno);
  return std::nullopt;
}

Failure remove_tree(const std::string& path) {
  if (const int error = remove_below(AT_FDCWD, path, 0)) return io_refusal(path, "remove", error);
  return std::nullopt;
}

Failure remove_checkpoint_files(const std::string& job_checkpoint_dir, AttemptNumber attempt,
                                std::int64_t step) {
  const std::string attempt_name = "attempt-" + std::to_string(attempt.value);
  const std::string step_name = "step-" + std::to_string(step);
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor job(::open(job_checkpoint_dir.c_str(), flags));
  const int job_error = job.is_open() ? 0 : errno;
  // While the share is not mounted, the files are not visible here, but they are not removed.
  const std::string root = job_checkpoint_dir.substr(0, job_checkpoint_dir.rfind('/'));
  if (!job.is_open() && ::access((root + "/" + checkpoint_marker_file).c_str(), F_OK) != 0)
    return Refusal{root + " is not the checkpoint folder, or is not mounted", ""};
  const Descriptor attempt_folder(job.is_open() ? ::openat(job.get(), attempt_name.c_str(), flags)
                                                : -1);
  const Descriptor step_folder(
      attempt_folder.is_open() ? ::openat(attempt_folder.get(), step_name.c_str(), flags) : -1);
  const std::string path = job_checkpoint_dir + "/" + attempt_name + "/" + step_name;
  if (job_error == ENOENT) return std::nullopt;
  if (job_error != 0) return io_refusal(job_checkpoint_dir, "open", job_error);
  if (!step_folder.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    // If the user has put a file or a link there instead of a folder, it is removed and not
    // followed.
    const bool is_other = (errno == ENOTDIR || errno == ELOOP) && attempt_folder.is_open();
    const int error = is_other ? remove_below(attempt_folder.get(), step_name, 0) : errno;
    return error == 0 ? Failure{} : io_refusal(path, "open", error);
  }
  for (const std::string& name : names_in(step_folder.get())) {
    if (name.ends_with(".manifest")) ::unlinkat(step_folder.get(), name.c_str(), 0);
  }
  if (::fsync(step_folder.get()) != 0) return io_refusal(path, "sync", errno);
  const int error = remove_below(attempt_folder.get(), step_name, 0);
  if (error != 0) return io_refusal(path, "remove", error);
  return std::nullopt;
}

void remove_empty_folders(const std::string& job_checkpoint_dir, AttemptNumber attempt) {
  // These paths are safe: rmdir follows no link in the last part of a path, and users cannot change
  // the job's folder.
  ::rmdir((job_checkpoint_dir + "/attempt-" + std::to_string(attempt.value)).c_str());
  ::rmdir(job_checkpoint_dir.c_str());
}

}  // namespace cox
