#include "worker/supervisor/io/task_programs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "common/base/limits.h"
#include "common/io/clock.h"
#include "worker/supervisor/io/child.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/task_prolog_lines.h"

namespace cox {

namespace {

// Slurm's limit for srun --task-epilog.
constexpr Milliseconds users_epilog_limit{5'000};
constexpr int exit_code_failed = 1;

std::vector<TaskProgram> existing_programs(TaskProgram first, TaskProgram second) {
  std::vector<TaskProgram> all;
  for (TaskProgram* one : {&first, &second}) {
    if (one->path.empty()) continue;
    // A name without a slash is a file in the task's working directory, as in Slurm.
    if (one->path.find('/') == std::string::npos) one->path.insert(0, "./");
    all.push_back(std::move(*one));
  }
  return all;
}

[[noreturn]] void become_prolog(std::string path, std::vector<std::string> environment, int output,
                                pid_t task) {
  ::setpgid(0, 0);
  become_plain_child(task);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::vector<char*> variables;
  for (std::string& one : environment) variables.push_back(one.data());
  variables.push_back(nullptr);
  char* const words[] = {path.data(), nullptr};
  ::execve(path.c_str(), words, variables.data());
  print_error({std::strerror(errno), "\n"});
  ::_exit(exit_code_failed);
}

// Reads the available output. False: it is longer than limits::task_prolog_bytes_max.
bool read_output(int fd, std::string& text) {
  char buffer[4096];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limits::task_prolog_bytes_max) return false;
  }
  return true;
}

struct PrologEnd {
  int status = exit_code_failed;  // exit code of the prolog; 0: it succeeded
  std::string output;
  std::string why{};  // why the prolog was killed; empty: it was not
};

// Reads the program's output until the program itself has ended: processes that it leaves behind
// may keep the pipe open.
void await_end(int output, int process, Milliseconds limit, PrologEnd& end) {
  const Boot until = read_clock().boot + limit;
  while (true) {
    const std::int64_t left = (until - read_clock().boot).count();
    if (left <= 0) {
      end.why = late_text(limit.count());
      return;
    }
    pollfd watched[] = {{process, POLLIN, 0}, {output, POLLIN, 0}};
    if (::poll(watched, 2, static_cast<int>(left)) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0 && !read_output(output, end.output)) {
      end.why = "it wrote more than " + std::to_string(limits::task_prolog_bytes_max) + " bytes";
      return;
    }
    if ((watched[0].revents & POLLIN) != 0) return;
    // The program has closed its output, so only its end is waited for.
    if ((watched[1].revents & POLLHUP) != 0) output = -1;
  }
}

PrologEnd run_prolog(const TaskProgram& program, const std::vector<std::string>& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {exit_code_failed, "", std::strerror(errno)};
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  const pid_t task = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return {exit_code_failed, "", std::strerror(errno)};
  if (pid == 0) become_prolog(program.path, environment, theirs.get(), task);
  theirs.reset();
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  PrologEnd end;
  if (process.is_open())
    await_end(ours.get(), process.get(), program.limit, end);
  else
    end.why = std::strerror(errno);
  ::kill(-pid, SIGKILL);  // the prolog is not reaped, so no other group has its number
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!end.why.empty()) return end;
  if (!read_output(ours.get(), end.output)) end.output.resize(limits::task_prolog_bytes_max);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : exit_code_failed;
  if (WIFSIGNALED(status)) end.why = "it was ended by signal " + std::to_string(WTERMSIG(status));
  return end;
}

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Reports a failed prolog with Slurm's wording and with the program's output.
[[noreturn]] void fail_for(const TaskProgram& program, const PrologEnd& end) {
  const std::string name = program.is_users ? "--task-prolog" : "TaskProlog";
  const std::string printed = end.output.substr(0, limits::site_output_bytes_max);
  if (!printed.empty()) print_error({printed, printed.back() == '\n' ? "" : "\n"});
  print_error({"slurmstepd: error: ", name, " failed status=", std::to_string(end.status),
               end.why.empty() ? "" : ": ", end.why, "\n"});
  ::_exit(end.status);
}

}  // namespace

std::vector<TaskProgram> task_prologs(const SitePrograms& site, const std::string& users) {
  const Milliseconds limit{site.timeout_ms};
  return existing_programs({site.task_prolog, limit, false}, {users, limit, true});
}

std::vector<TaskProgram> task_epilogs(const SitePrograms& site, const std::string& users) {
  const Milliseconds limit{site.timeout_ms};
  return existing_programs({users, users_epilog_limit, true}, {site.task_epilog, limit, false});
}

void run_task_prologs(const std::vector<TaskProgram>& prologs,
                      std::vector<std::string>& environment) {
  for (const TaskProgram& program : prologs) {
    if (::access(program.path.c_str(), X_OK) != 0) {
      const char* kind = program.is_users ? "user" : "slurm";
      print_error({"slurmstepd: error: ", kind, " task_prolog can not be executed (", program.path,
                   ") ", std::strerror(errno), "\n"});
      fail_for(program, {});
    }
    std::vector<std::string> seen = environment;
    seen.push_back("SLURM_TASK_PID=" + std::to_string(::getpid()));
    const PrologEnd end = run_prolog(program, seen);
    if (end.status != 0) fail_for(program, end);
    write_all(apply_prolog_lines(end.output, environment));
  }
}

}  // namespace cox
