#include "controller/io/start_trial.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/base/text.h"
#include "common/io/log.h"
#include "common/io/memory_limit.h"
#include "controller/io/site_program.h"

namespace cox {
namespace {

// Less than the time for which a client waits for the reply. libpq tries each database server for
// at most 10 s.
constexpr Milliseconds check_max{25'000};
constexpr std::size_t requests_max = 16;
constexpr std::size_t output_bytes_max = 16'384;
constexpr int exit_refused = 1;  // of --check-start: its output is the refusal

void close_end_of(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

std::int64_t number_of(const PeerMessage& incoming) {
  return std::get<Request>(incoming.message).number;
}

// Returns this process's variables, since libpq reads some. start_site_program() sets PATH.
std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("PATH=")) variables.emplace_back(*one);
  return variables;
}

}  // namespace

StartTrial::StartTrial(std::string program, std::string path, const ControllerConfig& config,
                       Poller& poller)
    : command_{std::move(program), "--check-start", "--config", std::move(path)},
      owner_uid_(config.owner_uid),
      accepts_loss_(config.accept_loss),
      poller_(poller) {
  if (!config.listen_local.empty()) command_.push_back("--held-local=" + config.listen_local);
  if (!config.listen_tcp.empty()) command_.push_back("--held-tcp=" + config.listen_tcp);
}

StartTrial::~StartTrial() {
  drop_all();
}

bool StartTrial::takes(PeerMessage& incoming, Term led, Boot now) {
  const auto* request = std::get_if<Request>(&incoming.message);
  const bool is_ours = request != nullptr && incoming.caller.uid == owner_uid_ &&
                       std::holds_alternative<Reconfigure>(request->body);
  if (!is_ours) return false;
  const auto is_copy = [&](const PeerMessage& one) {
    return one.peer == incoming.peer && number_of(one) == request->number;
  };
  // Clients repeat a request that has no reply yet.
  if (std::ranges::any_of(waiting_, is_copy)) return true;
  if (waiting_.size() >= requests_max) {
    incoming.wrong_settings = Refusal{std::to_string(requests_max) + " such requests wait already",
                                      "try again in a moment"};
    ended_.push_back(std::move(incoming));
    return true;
  }
  waiting_.push_back(std::move(incoming));
  led_ = led;
  if (pid_ < 0) start(now);
  return true;
}

// Starts the check for the first request that waits.
void StartTrial::start(Boot now) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) == 0) {
    output_ = ends[0];
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
    const MemoryLimitLifted lifted;
    std::vector<std::string> command = command_;
    if (!accepts_loss_) command.push_back("--led-term=" + std::to_string(led_.value));
    pid_ = start_site_program(command, own_environment(), -1, ends[1]);
  }
  const int failed = errno;
  close_end_of(ends[1]);
  if (pid_ < 0) {
    close_end_of(output_);
    PeerMessage incoming = std::move(waiting_.front());
    waiting_.pop_front();
    incoming.wrong_settings =
        Refusal{"cannot start " + command_.front() + ": " + std::strerror(failed),
                "install cox-controller again"};
    return ended_.push_back(std::move(incoming));
  }
  log_info("checks whether it can restart with the settings file");
  written_.clear();
  until_ = now + check_max;
  is_late_ = false;
  end_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));  // closed on exec
  if (end_ >= 0) wakes_ = poller_.add_readable(end_);
}

// Returns why the controller cannot restart; nothing if it can.
Failure StartTrial::result_of(int wait_status) const {
  if (is_late_)
    return Refusal{"the check of the settings did not end within " +
                       std::to_string(check_max.count() / 1'000) + " s",
                   "check that the database and the directory of groups answer"};
  if (wait_status == 0) return std::nullopt;
  const bool is_refused = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == exit_refused;
  const auto lines = split(written_, '\n');
  if (is_refused && lines.size() >= 2)
    return Refusal{printable(std::string(lines[0])), printable(std::string(lines[1]))};
  return Refusal{
      "the check of the settings failed: " + site_end_text(wait_status) + ": " + one_line(written_),
      "run it by hand: " + joined(command_, " ")};
}

void StartTrial::end_process() {
  wakes_.reset();
  close_end_of(end_);
  close_end_of(output_);
  pid_ = -1;
}

std::vector<PeerMessage> StartTrial::turn(Boot now) {
  if (pid_ >= 0) {
    read_site_output(output_, written_, output_bytes_max);
    if (now >= until_ && !std::exchange(is_late_, true)) ::kill(-pid_, SIGKILL);
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      read_site_output(output_, written_, output_bytes_max);
      PeerMessage incoming = std::move(waiting_.front());
      waiting_.pop_front();
      incoming.wrong_settings = result_of(status);
      if (incoming.wrong_settings)
        log_warning("does not restart why=" + quoted_value(incoming.wrong_settings->fact));
      ended_.push_back(std::move(incoming));
      end_process();
    }
  }
  if (pid_ < 0 && !waiting_.empty()) start(now);
  return std::exchange(ended_, {});
}

std::vector<PeerMessage> StartTrial::drop_all() {
  if (pid_ >= 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    end_process();
  }
  for (PeerMessage& incoming : waiting_) ended_.push_back(std::move(incoming));
  waiting_.clear();
  return std::exchange(ended_, {});
}

}  // namespace cox
