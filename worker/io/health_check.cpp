#include "worker/io/health_check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/io/spawn.h"

namespace cox {

HealthCheck::HealthCheck(std::string program, Milliseconds interval, Milliseconds limit,
                         std::string node_name)
    : program_(std::move(program)),
      interval_(interval),
      limit_(limit),
      node_name_(std::move(node_name)) {}

HealthCheck::~HealthCheck() {
  if (pid_ != 0) end_program();
}

std::optional<std::string> HealthCheck::look(Boot now) {
  if (!is_there()) return std::nullopt;
  if (held_ != 0 && ::waitpid(held_, nullptr, WNOHANG) != 0) held_ = 0;
  if (pid_ == 0) return now < due_ || held_ != 0 ? std::nullopt : start(now);
  read_output();
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) {
    read_output();
    ::kill(-pid_, SIGKILL);  // kills processes that the program left behind
    pid_ = 0;
    return finish(now, ended(status));
  }
  if (now < ends_by_) return std::nullopt;
  end_program();
  return finish(now, "health check " + program_ + " did not end within " +
                         std::to_string(limit_.count()) + " ms");
}

std::optional<std::string> HealthCheck::start(Boot now) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return finish(now, "health check " + program_ + ": " + std::strerror(errno));
  output_.reset(ends[0]);
  const Descriptor theirs(ends[1]);
  SpawnRequest request;
  request.words = {program_};
  request.output = theirs.get();
  request.variables = {"SLURMD_NODENAME=" + node_name_};
  const auto pid = spawn_process(request);
  if (!pid) return finish(now, "health check " + pid.refusal().fact);
  pid_ = *pid;
  ends_by_ = now + limit_;
  return std::nullopt;
}

// Reads all output, so that the program never blocks on a full pipe; keeps only its beginning.
void HealthCheck::read_output() {
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = ::read(output_.get(), buffer.data(), buffer.size())) > 0)
    if (printed_.size() < limits::reason_bytes_max)
      printed_.append(buffer.data(), static_cast<std::size_t>(count));
}

std::string HealthCheck::ended(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  const std::string line =
      printed_.substr(0, printed_.find('\n')).substr(0, limits::reason_bytes_max);
  if (!line.empty()) return printable(line);
  const std::string how = WIFSIGNALED(status)
                              ? "was ended by signal " + std::to_string(WTERMSIG(status))
                              : "exited with " + std::to_string(WEXITSTATUS(status));
  return "health check " + program_ + " " + how;
}

std::optional<std::string> HealthCheck::finish(Boot now, std::string found) {
  due_ = now + interval_;
  output_.reset();
  printed_.clear();
  return found;
}

// Kills the running program. If the process hangs in the kernel (on dead storage), look() reaps it
// later; until then it starts no other run, which would hang too.
void HealthCheck::end_program() {
  ::kill(-pid_, SIGKILL);
  held_ = std::exchange(pid_, 0);
}

}  // namespace cox
