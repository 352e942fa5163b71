#include "worker/stepd/io/task_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/check.h"
#include "common/io/descriptor_limit.h"
#include "worker/supervisor/io/child.h"

namespace cox {

namespace {

// The child's ends.
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

Failure make_terminal(const TaskOrder& order, TaskProcess& task, Ends& ends) {
  task.output.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!task.output.is_open()) return cannot("a terminal");
  char name[64];
  const int master = task.output.get();
  if (::grantpt(master) != 0 || ::unlockpt(master) != 0 || ::ptsname_r(master, name, sizeof name))
    return cannot("a terminal");
  ends.terminal.reset(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ends.terminal.is_open()) return cannot("a terminal");
  winsize size{};
  size.ws_row = static_cast<unsigned short>(order.rows);
  size.ws_col = static_cast<unsigned short>(order.columns);
  if (order.rows > 0) ::ioctl(master, TIOCSWINSZ, &size);
  ::fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK);
  task.input.reset(::fcntl(master, F_DUPFD_CLOEXEC, 0));
  return std::nullopt;
}

Failure make_streams(const TaskOrder& order, TaskProcess& task, Ends& ends) {
  if (order.pty) return make_terminal(order, task, ends);
  if (order.input.piped)
    if (Failure failure = make_pipe(task.input, ends.input, false)) return failure;
  if (order.output.piped)
    if (Failure failure = make_pipe(task.output, ends.output, true)) return failure;
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
    fail_start(report, 1, std::string("cannot be bound to its CPUs: ") + std::strerror(errno));
}

void tell_binding(const TaskOrder& order) {
  if (order.told_before.empty()) return;
  std::string line = order.told_before;
  if (!order.told_behind.empty()) line += std::to_string(::getpid()) + order.told_behind;
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void run_child(TaskOrder order, const Ends& ends, pid_t parent, int report) {
  if (order.pty)
    ::setsid();
  else
    ::setpgid(0, 0);
  become_plain_child(parent);
  ::umask(order.umask);
  bind_to(report, order.cpus);
  const int missing = ::chdir(order.work_dir.c_str()) == 0 ? 0 : errno;
  if (missing != 0 && ::chdir(folder_otherwise) != 0)
    fail_start(report, 1, "cannot enter " + order.work_dir + ": " + std::strerror(missing));
  take_streams(order, ends, report);
  if (missing != 0) tell_folder_otherwise(order.work_dir, missing);
  tell_binding(order);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (order.inherits >= 0) ::fcntl(order.inherits, F_SETFD, 0);
  restore_descriptor_limit();
  order.environment.push_back("SLURM_TASK_PID=" + std::to_string(::getpid()));
  exec_words(report, std::move(order.words), std::move(order.environment));
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
  const pid_t parent = ::getpid();
  task.pid = ::fork();
  if (task.pid < 0) return cannot("a process");
  if (task.pid == 0) run_child(order, ends, parent, write_end.get());
  if (!order.pty) ::setpgid(task.pid, task.pid);
  task.exited.reset(static_cast<int>(::syscall(SYS_pidfd_open, task.pid, 0)));
  if (task.exited.is_open()) return task;
  const Refusal why = cannot("a descriptor of a process");
  ::kill(task.pid, SIGKILL);
  return why;
}

}  // namespace cox
