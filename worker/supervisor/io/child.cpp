#include "worker/supervisor/io/child.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "common/base/text.h"
#include "common/io/output_folders.h"
#include "common/io/own_soft_limits.h"

namespace cox {

namespace {

constexpr int exit_code_not_found = 127;  // as in shells
constexpr int exit_code_not_executable = 126;
constexpr const char* pid_variable = "SLURM_TASK_PID=";
constexpr std::size_t printed_parts_max = 8;
constexpr std::size_t report_bytes = 1024;  // a longer report of a failed start is cut
// The kernel has the same limit for a "#!" line.
constexpr std::size_t interpreter_line_bytes = 256;

std::int64_t ms_of(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1000 + time.tv_usec / 1000;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Returns whether the real, effective and saved user id are all `uid`, so that the process cannot
// regain another one.
bool is_user(uid_t uid) {
  uid_t real = 0;
  uid_t effective = 0;
  uid_t saved = 0;
  return ::getresuid(&real, &effective, &saved) == 0 && real == uid && effective == uid &&
         saved == uid;
}

bool is_group(gid_t gid) {
  gid_t real = 0;
  gid_t effective = 0;
  gid_t saved = 0;
  return ::getresgid(&real, &effective, &saved) == 0 && real == gid && effective == gid &&
         saved == gid;
}

// Returns whether `gid` is the only supplementary group. If there are more groups, getgroups()
// fails.
bool has_no_group_but(gid_t gid) {
  gid_t group = 0;
  return ::getgroups(1, &group) == 1 && group == gid;
}

// Returns the interpreter that the "#!" line of a script names. Empty: the file is no script, or
// does not exist. `line`: buffer into which the result points.
std::string_view interpreter_of(const std::string& path,
                                std::array<char, interpreter_line_bytes>& line) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return {};
  const ssize_t bytes = ::read(fd, line.data(), line.size());
  ::close(fd);
  std::string_view text(line.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  constexpr std::string_view mark = "#!";
  if (!text.starts_with(mark)) return {};
  text.remove_prefix(std::min(text.find_first_not_of(" \t", mark.size()), text.size()));
  return text.substr(0, text.find_first_of(" \t\n"));
}

}  // namespace

void fail_start(int report, int exit_code, std::initializer_list<std::string_view> text) {
  char line[report_bytes];
  std::size_t size = static_cast<std::size_t>(std::snprintf(line, sizeof line, "%d ", exit_code));
  for (const std::string_view part : text)
    size += part.copy(line + size, std::min(part.size(), sizeof line - size));
  // The report is shorter than PIPE_BUF, so the pipe takes all of it.
  [[maybe_unused]] const ssize_t written = ::write(report, line, size);
  ::_exit(exit_code);
}

void open_as(int report, int target, const std::string& path, int flags) {
  const int fd = open_output(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    const char* why = errno == ENXIO ? "no process reads this FIFO" : std::strerror(errno);
    fail_start(report, 1, {"cannot open ", path, ": ", why});
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  if (::dup2(fd, target) < 0) fail_start(report, 1, {path, ": ", std::strerror(errno)});
}

void print_error(std::initializer_list<std::string_view> text) {
  std::array<iovec, printed_parts_max> parts;
  int count = 0;
  for (const std::string_view part : text)
    parts.at(static_cast<std::size_t>(count++)) = {const_cast<char*>(part.data()), part.size()};
  // Without O_NONBLOCK a full FIFO that nobody reads would block the child.
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL);
  ::fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
  [[maybe_unused]] const ssize_t ignored = ::writev(STDERR_FILENO, parts.data(), count);
  ::fcntl(STDERR_FILENO, F_SETFL, flags);
}

void warn_of_folder(const std::string& folder, int error) {
  print_error({"slurmstepd: error: couldn't chdir to `", folder, "': ", std::strerror(error),
               ": going to ", folder_otherwise, " instead\n"});
}

ExecImage::ExecImage(std::vector<std::string> words, std::vector<std::string> variables)
    : words_(std::move(words)), variables_(std::move(variables)), shell_("/bin/sh") {
  constexpr std::string_view path_variable = "PATH=";
  std::string_view path = "/bin:/usr/bin";
  for (const std::string& one : variables_)
    if (one.starts_with(path_variable)) path = std::string_view(one).substr(path_variable.size());
  const std::string& name = words_.front();
  if (name.find('/') != std::string::npos || name.empty())
    programs_ = {name};
  else
    for (const std::string_view folder : split(path, ':'))
      programs_.push_back(std::string(folder.empty() ? "." : folder) + "/" + name);
  variables_.push_back(pid_variable + std::string(std::numeric_limits<pid_t>::digits10 + 1, '0'));
  word_pointers_ = pointers(words_);
  shell_pointers_ = word_pointers_;
  shell_pointers_.insert(shell_pointers_.begin(), shell_.data());
  variable_pointers_ = pointers(variables_);
}

// Tries to exec the program at this path. On return that has failed, and errno says why: true means
// that the program exists but cannot be run.
bool ExecImage::try_program(std::string& path) {
  ::execve(path.c_str(), word_pointers_.data(), variable_pointers_.data());
  if (errno == ENOEXEC) {
    shell_pointers_[1] = path.data();
    ::execve(shell_.c_str(), shell_pointers_.data(), variable_pointers_.data());
  }
  return errno != ENOENT && errno != ENOTDIR;
}

void ExecImage::exec(int report) {
  std::string& pid = variables_.back();
  std::snprintf(pid.data(), pid.size() + 1, "%s%d", pid_variable, ::getpid());
  int error = ENOENT;
  for (std::string& program : programs_)
    if (try_program(program)) error = errno;
  // If a script exists and its interpreter does not, execve() fails with ENOENT too.
  std::array<char, interpreter_line_bytes> line;
  for (std::size_t i = 0; error == ENOENT && i < programs_.size(); ++i)
    if (const auto interpreter = interpreter_of(programs_[i], line); !interpreter.empty())
      fail_start(report, exit_code_not_found,
                 {"cannot run ", words_[0], ": its interpreter ", interpreter, " does not exist"});
  fail_start(report, error == ENOENT ? exit_code_not_found : exit_code_not_executable,
             {"cannot run ", words_[0], ": ", std::strerror(error)});
}

void become_plain_child(pid_t parent) {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the prctl
}

bool become_user(uid_t uid, gid_t gid) {
  const bool keeps_groups = ::setgroups(1, &gid) != 0;
  if (keeps_groups && (errno != EPERM || !is_user(uid))) return false;
  if (::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0) return false;
  return is_user(uid) && is_group(gid) && (keeps_groups || has_no_group_but(gid));
}

void set_soft_limits(const std::vector<SoftLimit>& limits) {
  for (const SoftLimit& limit : limits) {
    const int error = set_own_soft_limit(limit);
    if (error == 0 || !limit.is_explicit) continue;
    char value[std::numeric_limits<std::uint64_t>::digits10 + 2] = "'unlimited'";
    if (limit.value != unlimited)
      std::snprintf(value, sizeof value, "%llu", static_cast<unsigned long long>(limit.value));
    print_error({"slurmstepd: error: Can't propagate RLIMIT_", limit.name, " of ", value,
                 " from submit host: ", std::strerror(error), "\n"});
  }
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
