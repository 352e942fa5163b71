#include "client/io/private/run_program.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

std::optional<ProgramOutput> output_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  const std::vector<char*> arguments = exec_words(words);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ProgramOutput output;
  char piece[4096];
  for (ssize_t bytes = 0; error == 0 && (bytes = ::read(ends[0], piece, sizeof piece)) > 0;)
    output.text.append(piece, static_cast<std::size_t>(bytes));
  ::close(ends[0]);
  if (error != 0 || ::waitpid(pid, &output.status, 0) != pid) return std::nullopt;
  return output;
}

}  // namespace cox
