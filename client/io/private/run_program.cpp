#include "client/io/private/run_program.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

#include "common/base/check.h"

namespace cox {

std::vector<char*> exec_words(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

ProgramEnd run_program(const std::string& path, std::vector<std::string> words,
                       std::vector<std::string> environment) {
  posix_spawnattr_t attributes;
  CHECK(::posix_spawnattr_init(&attributes) == 0);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ProgramEnd end;
  pid_t pid = 0;
  end.error = ::posix_spawn(&pid, path.c_str(), nullptr, &attributes, exec_words(words).data(),
                            exec_words(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  if (end.error != 0) return end;
  while (::waitpid(pid, &end.status, 0) < 0 && errno == EINTR) continue;
  return end;
}

}  // namespace cox
