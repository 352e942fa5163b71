#include "worker/supervisor/io/rank_process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/io/descriptor_limit.h"

namespace cox {

namespace {

constexpr int exit_code_not_found = 127;  // as shells have it
constexpr int exit_code_not_executable = 126;
constexpr mode_t rank_umask = 022;

[[noreturn]] void fail(int report, int exit_code, const std::string& text) {
  const std::string line = std::to_string(exit_code) + " " + text;
  // A pipe takes so little at once.
  [[maybe_unused]] const ssize_t written = ::write(report, line.data(), line.size());
  ::_exit(exit_code);
}

// O_NONBLOCK while opening: a FIFO without its other end must not hold the rank for ever.
void open_as(int report, int target, const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (fd < 0) {
    const char* why = errno == ENXIO ? "nobody reads this FIFO" : std::strerror(errno);
    fail(report, 1, "cannot open " + path + ": " + why);
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  if (::dup2(fd, target) < 0) fail(report, 1, path + ": " + std::strerror(errno));
}

void open_streams(int report, const RankCommand& command) {
  constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
  open_as(report, STDIN_FILENO, command.input, O_RDONLY);
  open_as(report, STDOUT_FILENO, command.output, append);
  if (command.error == command.output) {
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
  } else {
    open_as(report, STDERR_FILENO, command.error, append);
  }
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void run_child(RankCommand command, bool is_inside, pid_t parent, int report) {
  ::setpgid(0, 0);
  become_plain_child(parent);
  if (!is_inside) fail(report, 1, "cannot enter the attempt's cgroup");
  if (!become_user(command.uid, command.gid)) {
    fail(report, 1, "cannot become user " + std::to_string(command.uid));
  }
  become_plain_child(parent);  // changing the user forgets whom to die with
  ::umask(rank_umask);
  if (::chdir(command.work_dir.c_str()) != 0) {
    fail(report, 1, "cannot enter " + command.work_dir + ": " + std::strerror(errno));
  }
  open_streams(report, command);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  restore_descriptor_limit();
  command.environment.push_back("SLURM_TASK_PID=" + std::to_string(::getpid()));
  std::vector<char*> environment = pointers(command.environment);
  std::vector<char*> words = pointers(command.words);
  environ = environment.data();  // execvp looks for the program in this PATH
  ::execvp(words[0], words.data());
  const int error = errno;
  fail(report, error == ENOENT ? exit_code_not_found : exit_code_not_executable,
       "cannot run " + command.words[0] + ": " + std::strerror(error));
}

}  // namespace

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

Result<RankProcess> start_rank(std::int32_t rank, const RankCommand& command,
                               const Containment& containment) {
  CHECK(!command.words.empty());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Refusal{std::string("cannot make a pipe: ") + std::strerror(errno), ""};
  }
  RankProcess process;
  process.rank = rank;
  process.report.reset(ends[0]);
  const Descriptor write_end(ends[1]);
  const pid_t parent = ::getpid();
  const Containment::Forked forked = containment.fork_inside();
  process.pid = forked.pid;
  if (process.pid < 0) {
    return Refusal{std::string("cannot start a process: ") + std::strerror(errno), ""};
  }
  if (process.pid == 0) {
    const bool is_inside = forked.is_inside || containment.enter();
    run_child(command, is_inside, parent, write_end.get());
  }
  ::setpgid(process.pid, process.pid);  // here too: a signal may come before the child has done it
  return process;
}

StartFailure parse_start_failure(const std::string& report) {
  StartFailure failure;
  char* rest = nullptr;
  failure.exit_code = static_cast<std::int32_t>(std::strtol(report.c_str(), &rest, 10));
  failure.note = *rest == ' ' ? rest + 1 : rest;
  return failure;
}

}  // namespace cox
