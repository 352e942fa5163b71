#include "client/io/srun_programs.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/io/run.h"
#include "common/check.h"
#include "common/text.h"

namespace cox {
namespace {

std::vector<char*> as_exec_takes_them(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Returns the error with Slurm's wording.
void tell_denied(const std::string& path, int error) {
  print(Shown{"", "srun: Access denied for " + printable(path) + ": " + std::strerror(error) + "\n",
              exit_ok});
}

}  // namespace

void run_srun_program(const std::string& path, const std::vector<std::string>& command,
                      const std::vector<std::string>& environment, const std::string& context) {
  if (path.empty() || path == "none") return;
  if (::access(path.c_str(), X_OK) != 0) return tell_denied(path, errno);
  std::vector<std::string> words{path};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<std::string> variables = environment;
  variables.push_back("SLURM_SCRIPT_CONTEXT=" + context);
  posix_spawnattr_t attributes;
  CHECK(::posix_spawnattr_init(&attributes) == 0);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, path.c_str(), nullptr, &attributes, as_exec_takes_them(words).data(),
                    as_exec_takes_them(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return tell_denied(path, error);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace cox
