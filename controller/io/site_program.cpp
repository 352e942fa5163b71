#include "controller/io/site_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>

namespace cox {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
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

pid_t start_site_program(const std::vector<std::string>& words,
                         const std::vector<std::string>& environment, int input, int output) {
  std::vector<std::string> variables = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
  variables.insert(variables.end(), environment.begin(), environment.end());
  posix_spawn_file_actions_t files;
  posix_spawnattr_t settings;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawn_file_actions_init(&files);
  open_as(files, input, STDIN_FILENO, O_RDONLY);
  open_as(files, output, STDOUT_FILENO, O_WRONLY);
  open_as(files, output, STDERR_FILENO, O_WRONLY);
  ::posix_spawnattr_init(&settings);
  ::posix_spawnattr_setsigmask(&settings, &none);
  ::posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, words.front().c_str(), &files, &settings,
                                   pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&settings);
  errno = failed;
  return failed == 0 ? pid : -1;
}

}  // namespace cox
