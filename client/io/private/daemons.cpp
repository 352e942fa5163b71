#include "client/io/private/daemons.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <sstream>
#include <tuple>

#include "client/io/private/files.h"
#include "common/base/check.h"
#include "common/base/process_text.h"
#include "common/base/text.h"
#include "common/io/clock.h"

namespace cox {
namespace {

constexpr int exit_not_started = 127;
constexpr Milliseconds last_wait{5'000};  // after SIGKILL

Refusal failed(const std::string& what) {
  return {what + ": " + std::strerror(errno), ""};
}

// What a child needs, prepared before the fork: between fork and exec only async-signal-safe calls
// are allowed.
struct Start {
  std::vector<char*> argv;
  int log_fd = -1;
  const Account* account = nullptr;
  std::vector<gid_t> groups;
};

std::vector<gid_t> groups_of(const Account& account) {
  constexpr int groups_max = 256;
  std::vector<gid_t> groups(groups_max);
  int count = groups_max;
  if (::getgrouplist(account.name.c_str(), account.gid, groups.data(), &count) < 0) count = 1;
  groups.resize(static_cast<std::size_t>(count));
  if (count == 1) groups[0] = account.gid;
  return groups;
}

[[noreturn]] void become(const Start& start) {
  ::setsid();
  const int null_fd = ::open("/dev/null", O_RDONLY);
  if (null_fd < 0 || ::dup2(null_fd, STDIN_FILENO) < 0) ::_exit(exit_not_started);
  if (::dup2(start.log_fd, STDOUT_FILENO) < 0) ::_exit(exit_not_started);
  if (::dup2(start.log_fd, STDERR_FILENO) < 0) ::_exit(exit_not_started);
  ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  if (::chdir("/") != 0) ::_exit(exit_not_started);
  if (start.account != nullptr) {
    const bool changed = ::setgroups(start.groups.size(), start.groups.data()) == 0 &&
                         ::setgid(start.account->gid) == 0 && ::setuid(start.account->uid) == 0;
    if (!changed) ::_exit(exit_not_started);
  }
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(start.argv[0], start.argv.data());
  ::_exit(exit_not_started);
}

Result<pid_t> spawn(const std::vector<std::string>& command, const std::string& log_file,
                    const std::optional<Account>& account) {
  Start start;
  for (const auto& word : command) start.argv.push_back(const_cast<char*>(word.c_str()));
  start.argv.push_back(nullptr);
  if (account) {
    start.account = &*account;
    start.groups = groups_of(*account);
  }
  start.log_fd = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (start.log_fd < 0) return failed("cannot open " + log_file);
  const pid_t pid = ::fork();
  if (pid == 0) become(start);
  const auto why = failed("cannot start " + command[0]);
  ::close(start.log_fd);
  if (pid < 0) return why;
  return pid;
}

// A process held by a pidfd, so that a signal reaches exactly the process that was checked.
class ProcessDescriptor {
 public:
  explicit ProcessDescriptor(const Daemon& daemon)
      : fd_(static_cast<int>(::syscall(SYS_pidfd_open, daemon.pid, 0))) {
    if (fd_ >= 0 && !is_running(daemon)) {
      ::close(fd_);
      fd_ = -1;
    }
  }
  ProcessDescriptor(const ProcessDescriptor&) = delete;
  ProcessDescriptor& operator=(const ProcessDescriptor&) = delete;
  ~ProcessDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  bool open() const { return fd_ >= 0; }
  void signal(int number) const { ::syscall(SYS_pidfd_send_signal, fd_, number, nullptr, 0); }
  bool gone_within(Milliseconds time) const {
    pollfd wait{fd_, POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(time.count(), 0))) == 1;
  }

 private:
  int fd_;
};

}  // namespace

std::optional<std::int64_t> start_time_of(pid_t pid) {
  const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return std::nullopt;
  const auto stat = parse_process_stat(*text);
  if (!stat || !stat->is_living()) return std::nullopt;
  return stat->start_ticks;
}

bool is_running(const Daemon& daemon) {
  return daemon.pid > 0 && start_time_of(daemon.pid) == daemon.start_time;
}

Result<Account> find_account(const std::string& name) {
  const passwd* entry = ::getpwnam(name.c_str());
  if (entry == nullptr) return Refusal{"there is no account " + name, ""};
  return Account{name, entry->pw_uid, entry->pw_gid};
}

Result<Daemon> start_daemon(const std::string& name, const std::vector<std::string>& command,
                            const std::string& log_file, const std::optional<Account>& account) {
  const auto pid = spawn(command, log_file, account);
  if (!pid) return pid.refusal();
  return Daemon{name, *pid, start_time_of(*pid).value_or(0)};
}

Failure run_to_end(const std::vector<std::string>& command, const std::string& log_file,
                   const std::optional<Account>& account) {
  const auto pid = spawn(command, log_file, account);
  if (!pid) return pid.refusal();
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0) {
    if (errno != EINTR) return failed("cannot wait for " + command[0]);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Refusal{command[0] + " failed",
                 "the end of " + log_file + ":\n" + last_lines(log_file, 10)};
}

std::vector<std::string> stop_daemons(const std::vector<Daemon>& daemons, int signal,
                                      Milliseconds patience) {
  std::deque<std::pair<const Daemon*, ProcessDescriptor>> stopping;
  for (const auto& daemon : daemons) {
    stopping.emplace_back(std::piecewise_construct, std::forward_as_tuple(&daemon),
                          std::forward_as_tuple(daemon));
    if (stopping.back().second.open()) stopping.back().second.signal(signal);
  }
  const Boot end = read_clock().boot + patience;
  std::vector<std::string> killed;
  for (const auto& [daemon, process] : stopping) {
    if (!process.open() || process.gone_within(end - read_clock().boot)) continue;
    process.signal(SIGKILL);
    process.gone_within(last_wait);
    killed.push_back(daemon->name);
  }
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }  // reap the daemons that are children of this process
  return killed;
}

Result<std::vector<Daemon>> read_daemons(const std::string& path) {
  const auto text = read_file_if_any(path);
  if (!text) return text.refusal();
  std::vector<Daemon> running;
  std::istringstream lines(text->value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    Daemon daemon;
    std::istringstream words(line);
    if (!(words >> daemon.name >> daemon.pid >> daemon.start_time))
      return Refusal{path + " is damaged: " + quoted(line) + " is not a name, a pid and a time",
                     "end the processes of the cluster, remove the file, and repeat the command"};
    if (is_running(daemon)) running.push_back(daemon);
  }
  return running;
}

Failure write_daemons(const std::string& path, const std::vector<Daemon>& daemons) {
  std::ostringstream out;
  for (const auto& daemon : daemons)
    out << daemon.name << " " << daemon.pid << " " << daemon.start_time << "\n";
  return write_file(path, out.str());
}

std::string last_lines(const std::string& path, std::size_t count) {
  std::istringstream lines(read_file(path).value_or(""));
  std::deque<std::string> kept;
  std::string line;
  while (std::getline(lines, line)) {
    kept.push_back("  " + line + "\n");
    if (kept.size() > count) kept.pop_front();
  }
  std::string out;
  for (const auto& each : kept) out += each;
  return out;
}

}  // namespace cox
