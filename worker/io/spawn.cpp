#include "worker/io/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "common/io/descriptor_limit.h"
#include "common/io/memory_limit.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

namespace {

constexpr int first_descriptor = 3;
// Inherited descriptors are first copied to numbers from here on, so that the dup2 to 3, 4, …
// overwrites none that is still needed.
constexpr int out_of_the_way = 64;

// Returns an environ array. Its pointers refer to `variables` and to this process's environment.
std::vector<char*> environment_with(std::vector<std::string>& variables) {
  std::vector<char*> all;
  for (std::string& variable : variables) all.push_back(variable.data());
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view name = std::string_view(*own).substr(0, std::strcspn(*own, "=") + 1);
    const auto is_same = [&](const std::string& variable) { return variable.starts_with(name); };
    if (std::ranges::none_of(variables, is_same)) all.push_back(*own);
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace

Result<pid_t> spawn_process(const SpawnRequest& request) {
  CHECK(!request.words.empty());
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  CHECK(::posix_spawn_file_actions_init(&actions) == 0 && ::posix_spawnattr_init(&attributes) == 0);
  const char* log = request.log_path.empty() ? "/dev/null" : request.log_path.c_str();
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (request.output >= 0)
    ::posix_spawn_file_actions_adddup2(&actions, request.output, 1);
  else
    ::posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<Descriptor> waiting;
  int next = first_descriptor;
  for (const int fd : request.descriptors) {
    waiting.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, out_of_the_way));
    ::posix_spawn_file_actions_adddup2(&actions, waiting.back().get(), next++);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&actions, next);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = request.words;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  std::vector<std::string> variables = request.variables;
  const std::vector<char*> environment = environment_with(variables);
  // A limit cannot be set by posix_spawn in the child only: this process lowers its own for the
  // call.
  const bool lowered = restore_descriptor_limit();
  const MemoryLimitLifted for_the_child;
  const int error =
      ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environment.data());
  if (lowered) raise_descriptor_limit();
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return Refusal{request.words[0] + ": cannot be started: " + std::strerror(error), ""};
  }
  return pid;
}

}  // namespace cox
