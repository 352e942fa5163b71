#include "controller/io/trigger_runner.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/io/log.h"
#include "common/job/site_programs.h"
#include "controller/io/site_program.h"

namespace cox {
namespace {

constexpr std::size_t trigger_runs_at_once_max = 32;
constexpr std::ptrdiff_t trigger_runs_per_user_max = 8;
constexpr std::size_t trigger_runs_waiting_max = 10'000;
// A tool of util-linux that switches to a user with the user's groups and executes a program.
constexpr const char* user_changer = "/usr/bin/setpriv";

std::string about_run(const TriggerRun& run) {
  return "trigger=" + std::to_string(run.trigger.value) + " user=" + quoted_value(run.user_name) +
         " program=" + quoted_value(run.arguments.front()) + " ";
}

std::vector<std::string> arguments_of_run(const TriggerRun& run) {
  if (run.uid == ::geteuid()) return run.arguments;
  std::vector<std::string> arguments = {user_changer, "--reuid=" + std::to_string(run.uid),
                                        "--regid=" + std::to_string(run.gid), "--init-groups",
                                        "--"};
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  return arguments;
}

// Returns the environment of the program: that of a login, the cluster's name and COX_CONFIG. It
// contains nothing else from the controller's environment.
std::vector<std::string> environment_of(const TriggerRun& run, const std::string& cluster_name) {
  std::vector<std::string> variables = {"COX_CLUSTER_NAME=" + cluster_name,
                                        "SLURM_CLUSTER_NAME=" + cluster_name};
  if (const char* config = std::getenv("COX_CONFIG"); config != nullptr)
    variables.push_back("COX_CONFIG=" + std::string(config));
  std::array<char, 16384> room{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(run.uid, &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
    return variables;
  for (const auto& [name, value] : {std::pair{"HOME", entry.pw_dir},
                                    {"SHELL", entry.pw_shell},
                                    {"USER", entry.pw_name},
                                    {"LOGNAME", entry.pw_name}})
    variables.push_back(std::string(name) + "=" + value);
  return variables;
}

}  // namespace

TriggerRunner::TriggerRunner(const ControllerConfig& config) : cluster_name_(config.cluster_name) {}

TriggerRunner::~TriggerRunner() {
  for (const Running& running : running_) ::close(running.output);
}

void TriggerRunner::take(std::vector<TriggerRun> runs) {
  for (TriggerRun& run : runs) {
    if (waiting_.size() < trigger_runs_waiting_max) {
      waiting_.push_back(std::move(run));
    } else if (!std::exchange(warned_full_, true)) {
      log_warning("too many programs of event triggers wait: new runs are dropped waiting=" +
                  std::to_string(waiting_.size()));
    }
  }
}

bool TriggerRunner::may_start(const TriggerRun& run) const {
  const auto is_its = [&](const Running& one) { return one.run.uid == run.uid; };
  return running_.size() < trigger_runs_at_once_max &&
         std::ranges::count_if(running_, is_its) < trigger_runs_per_user_max;
}

void TriggerRunner::start(TriggerRun run, Boot now) {
  const auto failed = [&](int error) {
    log_warning(about_run(run) + "cannot be started message=" + quoted_value(std::strerror(error)));
  };
  if (run.uid != ::geteuid() && ::geteuid() != 0) return failed(EPERM);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const pid_t pid =
      start_site_program(arguments_of_run(run), environment_of(run, cluster_name_), -1, ends[1]);
  const int error = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return failed(error);
  }
  log_info(about_run(run) + "started argument=" + quoted_value(run.arguments.back()));
  running_.push_back(
      {std::move(run), pid, ends[0], {}, now + Milliseconds{limits::trigger_run_ms_max}});
}

bool TriggerRunner::end_if_over(Running& running, Boot now) {
  const auto read = [&] {
    read_site_output(running.output, running.written, limits::site_output_bytes_max);
  };
  read();
  if (now >= running.until && !std::exchange(running.is_late, true)) ::kill(-running.pid, SIGKILL);
  int status = 0;
  if (::waitpid(running.pid, &status, WNOHANG) != running.pid) return false;
  read();
  ::close(running.output);
  const std::string how =
      running.is_late ? late_text(limits::trigger_run_ms_max) : site_end_text(status);
  const std::string line = about_run(running.run) + "ended how=" + quoted_value(how) +
                           " output=" + quoted_value(one_line(running.written));
  if (status == 0)
    log_info(line);
  else
    log_warning(line);
  return true;
}

void TriggerRunner::turn(Boot now) {
  std::erase_if(running_, [&](Running& one) { return end_if_over(one, now); });
  for (auto next = waiting_.begin();
       next != waiting_.end() && running_.size() < trigger_runs_at_once_max;) {
    if (!may_start(*next)) {
      ++next;
      continue;
    }
    start(std::move(*next), now);
    next = waiting_.erase(next);
  }
  if (waiting_.empty()) warned_full_ = false;
}

}  // namespace cox
