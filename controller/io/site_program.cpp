#include "controller/io/site_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cox {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& arguments) {
  std::vector<char*> all;
  for (const std::string& argument : arguments) all.push_back(const_cast<char*>(argument.c_str()));
  all.push_back(nullptr);
  return all;
}

void open_as(posix_spawn_file_actions_t& files, int from, int to, int flags) {
  if (from >= 0) {
    ::posix_spawn_file_actions_adddup2(&files, from, to);
  } else {
    ::posix_spawn_file_actions_addopen(&files, to, "/dev/null", flags, 0);
  }
}

}  // namespace

pid_t start_site_program(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment, int input, int output,
                         std::optional<int> errors) {
  std::vector<std::string> variables = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
  variables.insert(variables.end(), environment.begin(), environment.end());
  posix_spawn_file_actions_t files;
  posix_spawnattr_t settings;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawn_file_actions_init(&files);
  open_as(files, input, STDIN_FILENO, O_RDONLY);
  open_as(files, output, STDOUT_FILENO, O_WRONLY);
  open_as(files, errors.value_or(output), STDERR_FILENO, O_WRONLY);
  ::posix_spawnattr_init(&settings);
  ::posix_spawnattr_setsigmask(&settings, &none);
  ::posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, arguments.front().c_str(), &files, &settings,
                                   pointers(arguments).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&settings);
  errno = failed;
  return failed == 0 ? pid : -1;
}

int unnamed_file_of(const std::string& text) {
  const int fd = ::memfd_create("cox-input", MFD_CLOEXEC);
  if (fd < 0) return -1;
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (whole && ::lseek(fd, 0, SEEK_SET) == 0) return fd;
  ::close(fd);
  return -1;
}

void read_site_output(int pipe, std::string& written, std::size_t bytes_max) {
  constexpr int reads_max = 32;
  char buffer[4096];
  for (int i = 0; i < reads_max; ++i) {
    const ssize_t count = ::read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    const std::size_t room = bytes_max - written.size();
    written.append(buffer, std::min(static_cast<std::size_t>(count), room));
  }
}

std::string site_end_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return "it was ended by signal " + std::to_string(WTERMSIG(wait_status));
  return "exit code " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace cox
