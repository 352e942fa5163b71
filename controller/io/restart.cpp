#include "controller/io/restart.h"

#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "common/io/descriptor_limit.h"
#include "common/io/memory_limit.h"
#include "controller/io/postgres/connection_string.h"

namespace cox {

std::string own_program() {
  constexpr std::string_view replaced = " (deleted)";  // the kernel's mark
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (path.ends_with(replaced)) path.erase(path.size() - replaced.size());
  return path;
}

Result<Config> read_controller_config(const std::string& path) {
  auto config = read_config(path);
  if (!config) return config.refusal();
  // [controller] must have the key `database`, so without it there is no [controller].
  if (config->controller.database.empty())
    return Refusal{path + " has no [controller]",
                   "name the controller's settings file with --config"};
  if (const Failure wrong = check_connection_string(config->controller.database))
    return Refusal{path + ": database in [controller] cannot be used: " + wrong->fact, wrong->hint};
  return config;
}

int replace_program(char** arguments) {
  const MemoryLimitLifted lifted;
  restore_descriptor_limit();
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(own_program().c_str(), arguments);
  std::perror("cox-controller: cannot restart");
  return 1;
}

FormerPrograms::FormerPrograms() {
  std::ifstream children("/proc/self/task/" + std::to_string(::gettid()) + "/children");
  for (pid_t pid = 0; children >> pid;) running_.push_back(pid);
}

void FormerPrograms::collect() {
  std::erase_if(running_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace cox
