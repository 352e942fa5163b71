#include "controller/io/notifier.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/io/log.h"
#include "common/log_line.h"

namespace cox {
namespace {

constexpr std::size_t running_max = 8;
constexpr std::size_t waiting_max = 10'000;
constexpr const char* usual_sendmail = "/usr/sbin/sendmail";

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

// A file without a name that holds it, to be read from its beginning; -1: there is no room.
int file_of(const std::string& text) {
  const int fd = ::memfd_create("cox-notice", MFD_CLOEXEC);
  if (fd < 0) return -1;
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (whole && ::lseek(fd, 0, SEEK_SET) == 0) return fd;
  ::close(fd);
  return -1;
}

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
      add({{mail_program_, "-t"}, {}, mail_text(notice, cluster_name_)});
    if (!notify_program_.empty() && !event_name(notice).empty())
      add({{notify_program_, event_name(notice), std::to_string(notice.job.id.value)},
           notice_environment(notice, cluster_name_),
           ""});
  }
  turn();
}

void Notifier::add(Order order) {
  if (waiting_.size() < waiting_max) {
    waiting_.push_back(std::move(order));
  } else if (!std::exchange(told_full_, true)) {
    log_warning("programs that tell of jobs are too slow: the next notices are dropped program=" +
                quoted_value(order.words.front()));
  }
}

void Notifier::turn() {
  std::erase_if(running_, [](pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) != pid) return false;
    if (status != 0)
      log_warning("a program that tells of jobs failed status=" + std::to_string(status));
    return true;
  });
  while (running_.size() < running_max && !waiting_.empty()) {
    const Order order = std::move(waiting_.front());
    waiting_.pop_front();
    if (!start(order))
      log_warning("cannot start " + order.words.front() + ": " + std::strerror(errno));
  }
  if (waiting_.empty()) told_full_ = false;
}

bool Notifier::start(const Order& order) {
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
  environment.insert(environment.end(), order.environment.begin(), order.environment.end());
  const int input = file_of(order.input);
  if (input < 0) return false;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t settings;
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawnattr_init(&settings);
  ::posix_spawnattr_setsigmask(&settings, &none);
  ::posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, order.words.front().c_str(), &files, &settings,
                                   pointers(order.words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&settings);
  ::close(input);
  errno = failed;
  if (failed != 0) return false;
  running_.push_back(pid);
  return true;
}

}  // namespace cox
