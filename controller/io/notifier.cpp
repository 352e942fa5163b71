#include "controller/io/notifier.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/base/log_line.h"
#include "common/io/log.h"
#include "controller/io/site_program.h"

namespace cox {
namespace {

constexpr std::size_t running_max = 8;
constexpr std::size_t waiting_max = 10'000;

}  // namespace

Notifier::Notifier(const ControllerConfig& config)
    : cluster_name_(config.cluster_name),
      mail_program_(config.mail_program),
      notify_program_(config.notify_program) {
  if (mail_program_.empty() && ::access(usual_sendmail, X_OK) == 0) mail_program_ = usual_sendmail;
}

void Notifier::take(std::vector<Notice> notices) {
  for (const Notice& notice : notices) {
    if (!notice.to.empty() && !mail_program_.empty())
      add({{mail_program_, "-t"}, {}, mail_text(notice, cluster_name_), notice.job.id});
    if (!notify_program_.empty() && !event_name(notice).empty())
      add({{notify_program_, event_name(notice), std::to_string(notice.job.id.value)},
           notice_environment(notice, cluster_name_),
           "",
           notice.job.id});
  }
  turn();
}

void Notifier::add(Order order) {
  if (waiting_.size() < waiting_max) {
    waiting_.push_back(std::move(order));
  } else if (!std::exchange(warned_full_, true)) {
    log_warning("mail_program or notify_program is too slow: new notices are dropped program=" +
                quoted_value(order.arguments.front()));
  }
}

void Notifier::turn() {
  std::erase_if(running_, [](const Run& run) {
    int status = 0;
    if (::waitpid(run.pid, &status, WNOHANG) != run.pid) return false;
    if (status != 0)
      log_warning("mail_program or notify_program failed status=" + std::to_string(status));
    return true;
  });
  for (auto next = waiting_.begin(); next != waiting_.end() && running_.size() < running_max;) {
    if (has_to_wait(*next)) {
      ++next;
      continue;
    }
    if (!start(*next))
      log_warning("cannot start " + next->arguments.front() + ": " + std::strerror(errno));
    next = waiting_.erase(next);
  }
  if (waiting_.empty()) warned_full_ = false;
}

bool Notifier::has_to_wait(const Order& order) const {
  return std::ranges::any_of(running_, [&](const Run& run) {
    return run.job == order.job && run.program == order.arguments.front();
  });
}

bool Notifier::start(const Order& order) {
  const int input = unnamed_file_of(order.input);
  if (input < 0) return false;
  const pid_t pid = start_site_program(order.arguments, order.environment, input, -1);
  const int failed = errno;
  ::close(input);
  errno = failed;
  if (pid < 0) return false;
  running_.push_back({pid, order.arguments.front(), order.job});
  return true;
}

}  // namespace cox
