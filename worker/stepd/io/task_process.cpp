#include "worker/stepd/io/task_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "common/base/check.h"
#include "common/io/descriptor_limit.h"
#include "worker/supervisor/io/child.h"

namespace cox {

namespace {

// The ends of pipes and terminals that become the child's standard streams.
struct Ends {
  Descriptor input;
  Descriptor output;
  Descriptor error;
  Descriptor terminal;
};

Refusal cannot(const std::string& what) {
  return {"cannot make " + what + ": " + std::strerror(errno), ""};
}

Failure make_pipe(Descriptor& ours, Descriptor& theirs, bool we_read) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot("a pipe");
  ours.reset(ends[we_read ? 0 : 1]);
  theirs.reset(ends[we_read ? 1 : 0]);
  ::fcntl(ours.get(), F_SETPIPE_SZ, static_cast<int>(task_pipe_bytes));
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return std::nullopt;
}

Failure open_terminal(Descriptor& ours, Descriptor& theirs) {
  ours.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  char name[64];
  const int master = ours.get();
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
      ::ptsname_r(master, name, sizeof name) != 0)
    return cannot("a terminal");
  theirs.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!theirs.is_open()) return cannot("a terminal");
  return std::nullopt;
}

// Opens a terminal in raw mode, which passes bytes on unchanged.
Failure make_raw_terminal(Descriptor& ours, Descriptor& theirs) {
  if (Failure failure = open_terminal(ours, theirs)) return failure;
  termios settings{};
  if (::tcgetattr(theirs.get(), &settings) != 0) return cannot("a terminal");
  ::cfmakeraw(&settings);
  if (::tcsetattr(theirs.get(), TCSANOW, &settings) != 0) return cannot("a terminal");
  return std::nullopt;
}

Failure make_terminal(const TaskOrder& order, TaskProcess& task, Ends& ends) {
  if (Failure failure = open_terminal(task.output, ends.terminal)) return failure;
  winsize size{};
  size.ws_row = static_cast<unsigned short>(order.rows);
  size.ws_col = static_cast<unsigned short>(order.columns);
  if (order.rows > 0) ::ioctl(task.output.get(), TIOCSWINSZ, &size);
  task.input.reset(::fcntl(task.output.get(), F_DUPFD_CLOEXEC, 0));
  return std::nullopt;
}

Failure make_streams(const TaskOrder& order, TaskProcess& task, Ends& ends) {
  if (order.pty) return make_terminal(order, task, ends);
  if (order.input.piped)
    if (Failure failure = make_pipe(task.input, ends.input, false)) return failure;
  if (order.output.piped) {
    // If no terminal is available, a pipe is used, and the task's output is buffered.
    const bool is_terminal =
        order.output_is_terminal && !make_raw_terminal(task.output, ends.output);
    if (!is_terminal)
      if (Failure failure = make_pipe(task.output, ends.output, true)) return failure;
  }
  if (order.error.piped && !order.error_joins)
    if (Failure failure = make_pipe(task.error, ends.error, true)) return failure;
  return std::nullopt;
}

void take(int report, int target, const TaskStream& stream, const Descriptor& piped) {
  if (piped.is_open()) {
    ::dup2(piped.get(), target);
    return;
  }
  const int replace = stream.append ? O_APPEND : O_TRUNC;
  const int writes = O_WRONLY | O_CREAT | replace;
  open_as(report, target, stream.path, target == STDIN_FILENO ? O_RDONLY : writes);
}

void take_streams(const TaskOrder& order, const Ends& ends, int report) {
  if (ends.terminal.is_open()) {
    ::ioctl(ends.terminal.get(), TIOCSCTTY, 0);
    for (const int target : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(ends.terminal.get(), target);
    return;
  }
  take(report, STDIN_FILENO, order.input, ends.input);
  take(report, STDOUT_FILENO, order.output, ends.output);
  if (order.error_joins)
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
  else
    take(report, STDERR_FILENO, order.error, ends.error);
}

void bind_to(int report, const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0)
    fail_start(report, 1, {"cannot be bound to its CPUs: ", std::strerror(errno)});
}

void print_binding(const TaskOrder& order) {
  if (order.shown_before.empty()) return;
  char pid[std::numeric_limits<pid_t>::digits10 + 2] = "";
  if (!order.shown_behind.empty()) std::snprintf(pid, sizeof pid, "%d", ::getpid());
  print_error({order.shown_before, pid, order.shown_behind});
}

// Runs in a child made by fork: unlike a child of vfork, it may allocate memory.
[[noreturn]] void run_prologs_and_exec(const TaskOrder& order, int report) {
  std::vector<std::string> environment = order.environment;
  run_task_prologs(order.prologs, environment);
  ExecImage(order.words, std::move(environment)).exec(report);
}

// Runs in vfork's child, which shares the parent's memory; if there are prologs, in fork's child.
[[noreturn]] void run_child(const TaskOrder& order, const Ends& ends, pid_t parent, int report,
                            ExecImage& image) {
  if (order.pty)
    ::setsid();
  else
    ::setpgid(0, 0);
  become_plain_child(parent);
  ::umask(order.umask);
  bind_to(report, order.cpus);
  const int missing = ::chdir(order.work_dir.c_str()) == 0 ? 0 : errno;
  if (missing != 0 && ::chdir(folder_otherwise) != 0)
    fail_start(report, 1, {"cannot enter ", order.work_dir, ": ", std::strerror(missing)});
  take_streams(order, ends, report);
  if (missing != 0) warn_of_folder(order.work_dir, missing);
  print_binding(order);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (order.inherits >= 0) ::fcntl(order.inherits, F_SETFD, 0);
  restore_descriptor_limit();
  set_soft_limits(order.soft_limits);
  if (!order.prologs.empty()) run_prologs_and_exec(order, report);
  image.exec(report);
}

// Uses vfork: fork would copy the page tables of a daemon with libpmix, which costs more than the
// rest of a start. The daemon is blocked until the exec, so a folder or file on a hanging server
// blocks all steps of the attempt here. No signal handler may run in the child. A task with prologs
// is made by fork: prologs take long, and the daemon must not wait for them.
pid_t start_child(const TaskOrder& order, const Ends& ends, int report) {
  ExecImage image(order.words, order.environment);
  const pid_t parent = ::getpid();
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = order.prologs.empty() ? ::vfork() : ::fork();
  if (pid == 0) run_child(order, ends, parent, report, image);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

Result<TaskProcess> start_task(const TaskOrder& order) {
  CHECK(!order.words.empty());
  TaskProcess task;
  Ends ends;
  if (Failure failure = make_streams(order, task, ends)) return *failure;
  int report[2];
  if (::pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) return cannot("a pipe");
  task.report.reset(report[0]);
  const Descriptor write_end(report[1]);
  task.pid = start_child(order, ends, write_end.get());
  if (task.pid < 0) return cannot("a process");
  if (!order.pty) ::setpgid(task.pid, task.pid);
  task.exited.reset(static_cast<int>(::syscall(SYS_pidfd_open, task.pid, 0)));
  if (task.exited.is_open()) return task;
  const Refusal why = cannot("a descriptor of a process");
  ::kill(task.pid, SIGKILL);
  return why;
}

}  // namespace cox
