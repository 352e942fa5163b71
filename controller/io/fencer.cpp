#include "controller/io/fencer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/one_line.h"
#include "common/io/log.h"
#include "controller/io/site_program.h"

namespace cox {
namespace {

constexpr std::size_t runs_at_once_max = 8;

std::string end_text(int status, bool is_late) {
  if (is_late)
    return "it did not end within " + std::to_string(limits::fence_run_ms_max / 1000) + " s";
  return site_end_text(status);
}

}  // namespace

Fencer::Fencer(const ControllerConfig& config)
    : program_(config.fence_program), cluster_name_(config.cluster_name) {}

Fencer::~Fencer() {
  for (const Run& run : running_) ::close(run.output);
}

bool Fencer::has_order_for(const std::string& node) const {
  return std::ranges::any_of(waiting_, [&](const auto& one) { return one.node == node; }) ||
         std::ranges::any_of(running_, [&](const auto& one) { return one.order.node == node; });
}

void Fencer::take(std::vector<FenceOrder> orders) {
  for (FenceOrder& order : orders)
    if (!has_order_for(order.node)) waiting_.push_back(std::move(order));
}

void Fencer::start(FenceOrder order, Boot now, std::vector<FenceEnded>& ended) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    ended.push_back({std::move(order), false, std::strerror(errno)});
    return;
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const pid_t pid = start_site_program({program_, order.node},
                                       {"COX_CLUSTER_NAME=" + cluster_name_}, -1, ends[1]);
  const int failed = errno;
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    const std::string why = "cannot start " + program_ + ": " + std::strerror(failed);
    log_warning(why + " node=" + quoted_value(order.node));
    ended.push_back({std::move(order), false, why});
    return;
  }
  log_warning("fence_program was started node=" + quoted_value(order.node));
  running_.push_back(
      {std::move(order), pid, ends[0], {}, now + Milliseconds{limits::fence_run_ms_max}});
}

std::vector<FenceEnded> Fencer::turn(Boot now) {
  std::vector<FenceEnded> ended;
  std::erase_if(running_, [&](Run& run) {
    read_site_output(run.output, run.written, limits::fence_output_bytes_max);
    if (now >= run.until && !std::exchange(run.is_late, true)) ::kill(-run.pid, SIGKILL);
    int status = 0;
    if (::waitpid(run.pid, &status, WNOHANG) != run.pid) return false;
    read_site_output(run.output, run.written, limits::fence_output_bytes_max);
    ::close(run.output);
    const bool succeeded = status == 0 && !run.is_late;
    const std::string output = one_line(run.written);
    const std::string line = "fence_program ended node=" + quoted_value(run.order.node) +
                             " how=" + quoted_value(end_text(status, run.is_late)) +
                             " output=" + quoted_value(output);
    if (succeeded)
      log_info(line);
    else
      log_warning(line);
    ended.push_back({std::move(run.order), succeeded,
                     end_text(status, run.is_late) + (output.empty() ? "" : ": " + output)});
    return true;
  });
  while (running_.size() < runs_at_once_max && !waiting_.empty()) {
    FenceOrder order = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(order), now, ended);
  }
  return ended;
}

}  // namespace cox
