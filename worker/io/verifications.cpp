#include "worker/io/verifications.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/job/supervisor_folder.h"
#include "worker/io/spawn.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {
namespace {

constexpr std::size_t orders_at_once_max = 2;
constexpr std::size_t orders_waiting_max = 1'000;
constexpr std::size_t output_bytes_max = 4096;

CheckpointVerified not_read(const VerifyCheckpoint& order, std::string why) {
  return {"", order.key, order.step, ResumeFault::Unreadable, std::move(why)};
}

// Returns the first line, without its end.
std::string line_of(const Descriptor& output) {
  std::array<char, output_bytes_max> text{};
  const ssize_t bytes = ::pread(output.get(), text.data(), text.size(), 0);
  const std::string all(text.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return all.substr(0, all.find('\n'));
}

// `ended`: whether `status` is known.
CheckpointVerified found(const VerifyCheckpoint& order, bool ended, int status, std::string why) {
  const int code = ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  CheckpointVerified verified = not_read(order, std::move(why));
  if (code == 0) verified.fault = ResumeFault::None;
  if (code == supervisor_folder::exit_differs) verified.fault = ResumeFault::Differs;
  if (code != 0 && verified.why.empty()) verified.why = "the process that reads it has died";
  return verified;
}

}  // namespace

Verifications::Verifications(std::string supervisor_program)
    : supervisor_program_(std::move(supervisor_program)) {}

bool Verifications::is_known(const VerifyCheckpoint& order) const {
  const auto is_same = [&](const VerifyCheckpoint& other) {
    return other.key == order.key && other.step == order.step;
  };
  return std::ranges::any_of(waiting_, is_same) ||
         std::ranges::any_of(running_, [&](const auto& one) { return is_same(one.second.order); });
}

void Verifications::begin(const VerifyCheckpoint& order) {
  if (is_known(order)) return;
  if (waiting_.size() == orders_waiting_max) {
    failed_.push_back(not_read(order, "too many checkpoints wait to be verified on the node"));
    return;
  }
  waiting_.push_back(order);
  start_waiting();
}

void Verifications::start_waiting() {
  while (!waiting_.empty() && running_.size() < orders_at_once_max) {
    start(waiting_.front());
    waiting_.pop_front();
  }
}

void Verifications::start(const VerifyCheckpoint& order) {
  Descriptor output(::memfd_create("verified", MFD_CLOEXEC));
  if (!output.is_open()) {
    failed_.push_back(not_read(order, io_refusal(supervisor_program_, "start", errno).fact));
    return;
  }
  SpawnRequest request;
  request.words = {supervisor_program_,
                   "--verify-checkpoint",
                   std::to_string(order.uid),
                   std::to_string(order.gid),
                   order.folder,
                   std::to_string(order.ranks),
                   order.identity};
  request.output = output.get();
  const auto pid = spawn_process(request);
  if (pid)
    running_.emplace(*pid, Running{order, std::move(output)});
  else
    failed_.push_back(not_read(order, pid.refusal().fact));
}

void Verifications::reap(std::vector<LauncherEvent>& events) {
  std::erase_if(running_, [&](const auto& running) {
    int status = 0;
    const pid_t ended = ::waitpid(running.first, &status, WNOHANG);
    if (ended == 0) return false;
    const auto& [order, output] = running.second;
    events.push_back(found(order, ended == running.first, status, line_of(output)));
    return true;
  });
  start_waiting();
  for (CheckpointVerified& one : failed_) events.push_back(std::move(one));
  failed_.clear();
}

}  // namespace cox
