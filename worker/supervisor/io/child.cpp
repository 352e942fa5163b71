#include "worker/supervisor/io/child.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace cox {

namespace {

constexpr int exit_code_not_found = 127;  // as shells have it
constexpr int exit_code_not_executable = 126;

std::int64_t ms_of(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1000 + time.tv_usec / 1000;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

void fail_start(int report, int exit_code, const std::string& text) {
  const std::string line = std::to_string(exit_code) + " " + text;
  // A pipe takes so little at once.
  [[maybe_unused]] const ssize_t written = ::write(report, line.data(), line.size());
  ::_exit(exit_code);
}

void open_as(int report, int target, const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (fd < 0) {
    const char* why = errno == ENXIO ? "nobody reads this FIFO" : std::strerror(errno);
    fail_start(report, 1, "cannot open " + path + ": " + why);
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  if (::dup2(fd, target) < 0) fail_start(report, 1, path + ": " + std::strerror(errno));
}

void tell_folder_otherwise(const std::string& folder, int error) {
  const std::string line = "slurmstepd: error: couldn't chdir to `" + folder +
                           "': " + std::strerror(error) + ": going to " + folder_otherwise +
                           " instead\n";
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, line.data(), line.size());
}

void exec_words(int report, std::vector<std::string> command, std::vector<std::string> variables) {
  std::vector<char*> environment = pointers(variables);
  std::vector<char*> words = pointers(command);
  environ = environment.data();  // execvp looks for the program in this PATH
  ::execvp(words[0], words.data());
  const int error = errno;
  fail_start(report, error == ENOENT ? exit_code_not_found : exit_code_not_executable,
             "cannot run " + command[0] + ": " + std::strerror(error));
}

void become_plain_child(pid_t parent) {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before it could be watched
}

bool become_user(uid_t uid, gid_t gid) {
  if (::geteuid() == uid) return true;
  return ::setgroups(1, &gid) == 0 && ::setgid(gid) == 0 && ::setuid(uid) == 0;
}

StepUsage usage_of(const rusage& usage) {
  return {ms_of(usage.ru_utime), ms_of(usage.ru_stime), usage.ru_maxrss};
}

StartFailure parse_start_failure(const std::string& report) {
  StartFailure failure;
  char* rest = nullptr;
  failure.exit_code = static_cast<std::int32_t>(std::strtol(report.c_str(), &rest, 10));
  failure.note = *rest == ' ' ? rest + 1 : rest;
  return failure;
}

}  // namespace cox
