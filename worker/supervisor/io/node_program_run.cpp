#include "worker/supervisor/io/node_program_run.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "common/io/descriptor_limit.h"
#include "worker/supervisor/io/child.h"

namespace cox {

namespace {

constexpr mode_t program_umask = 022;
constexpr int exit_code_program_missing = 127;  // as in shells
constexpr int reads_at_once_max = 32;  // system calls in one call of NodeProgramRun::read()

[[noreturn]] void become_program(std::string path, std::vector<std::string> environment, int output,
                                 pid_t parent) {
  ::setsid();
  become_plain_child(parent);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::umask(program_umask);
  restore_descriptor_limit();
  std::vector<char*> variables;
  for (std::string& one : environment) variables.push_back(one.data());
  variables.push_back(nullptr);
  char* const words[] = {path.data(), nullptr};
  if (::chdir("/") == 0) ::execve(path.c_str(), words, variables.data());
  std::fprintf(stderr, "cannot run %s: %s\n", path.c_str(), std::strerror(errno));
  std::fflush(stderr);
  ::_exit(exit_code_program_missing);
}

}  // namespace

Result<NodeProgramRun> NodeProgramRun::start(const std::string& path,
                                             std::vector<std::string> environment,
                                             Milliseconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Refusal{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  NodeProgramRun run;
  run.output_.reset(ends[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const Descriptor theirs(ends[1]);
  const pid_t parent = ::getpid();
  run.pid_ = ::fork();
  if (run.pid_ < 0)
    return Refusal{std::string("cannot start a process: ") + std::strerror(errno), ""};
  if (run.pid_ == 0) become_program(path, std::move(environment), theirs.get(), parent);
  run.limit_ = limit;
  run.until_ = read_clock().boot + limit;
  return run;
}

// Also reads output that is not kept, so that the program never blocks on a full pipe.
void NodeProgramRun::read() {
  char buffer[4096];
  for (int i = 0; i < reads_at_once_max && output_.is_open(); ++i) {
    const ssize_t count = ::read(output_.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    // The output is closed at its end: poll() would always report it as readable.
    if (count == 0) output_.reset();
    if (count <= 0) return;
    const std::size_t room = limits::site_output_bytes_max - written_.size();
    written_.append(buffer, std::min(static_cast<std::size_t>(count), room));
  }
}

bool NodeProgramRun::is_stuck(Boot now) {
  if (now < until_) return false;
  if (!is_late_) {
    is_late_ = true;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // also by pid: it may not have made its session yet
  }
  return now >= until_ + kill_wait;
}

std::string NodeProgramRun::end(int wait_status) {
  read();
  ::kill(-pid_, SIGKILL);
  if (is_late_) return why_late();
  if (WIFSIGNALED(wait_status))
    return "it was ended by signal " + std::to_string(WTERMSIG(wait_status));
  const int code = WEXITSTATUS(wait_status);
  return code == 0 ? "" : "exit code " + std::to_string(code);
}

}  // namespace cox
