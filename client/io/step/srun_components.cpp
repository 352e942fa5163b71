#include "client/io/step/srun_components.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "client/io/private/run_program.h"
#include "common/base/check.h"

namespace cox {
namespace {

constexpr int signal_base = 128;

struct Child {
  pid_t pid = -1;
  int ended = -1;  // pidfd, readable when the child has ended; below 0: the child was reaped
  bool takes_others_along = false;
};

class Attributes {
 public:
  // Unblocks all signals in the children, since this process has blocked some.
  Attributes() {
    CHECK(::posix_spawnattr_init(&attributes_) == 0);
    sigset_t nothing;
    sigemptyset(&nothing);
    ::posix_spawnattr_setsigmask(&attributes_, &nothing);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Only the first child gets standard input; the others get /dev/null.
class Files {
 public:
  explicit Files(bool reads) {
    CHECK(::posix_spawn_file_actions_init(&actions_) == 0);
    if (!reads)
      CHECK(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ==
            0);
  }
  ~Files() { ::posix_spawn_file_actions_destroy(&actions_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

Result<Child> start(const StepPart& part, const std::vector<std::string>& environment, bool reads) {
  std::vector<std::string> words{"srun"};
  words.insert(words.end(), part.words.begin(), part.words.end());
  std::vector<std::string> variables = environment;
  const Attributes attributes;
  const Files files(reads);
  Child child;
  const int error = ::posix_spawn(&child.pid, "/proc/self/exe", files.get(), attributes.get(),
                                  exec_words(words).data(), exec_words(variables).data());
  if (error != 0) return Refusal{std::string("cannot start a step: ") + std::strerror(error), ""};
  child.ended = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
  CHECK(child.ended >= 0);
  child.takes_others_along = part.command.options.step.kill_on_bad_exit;
  return child;
}

void signal_all(const std::vector<Child>& children, int number) {
  for (const Child& child : children)
    if (child.ended >= 0) ::kill(child.pid, number);
}

int code_of(Child& child) {
  int status = 0;
  CHECK(::waitpid(child.pid, &status, 0) == child.pid);
  ::close(child.ended);
  child.ended = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

void hand_on(const std::vector<Child>& children, int signals) {
  signalfd_siginfo info;
  while (::read(signals, &info, sizeof info) == sizeof info) {
    const auto number = static_cast<int>(info.ssi_signo);
    const bool is_of_terminal =
        info.ssi_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT || number == SIGWINCH);
    if (!is_of_terminal) signal_all(children, number);
  }
}

}  // namespace

Result<int> run_components(const std::vector<StepPart>& parts,
                           const std::vector<std::string>& environment, int signals) {
  std::vector<Child> children;
  for (const StepPart& part : parts) {
    auto child = start(part, environment, children.empty());
    if (child) {
      children.push_back(*child);
      continue;
    }
    signal_all(children, SIGTERM);
    for (Child& other : children) code_of(other);
    return child.refusal();
  }
  int highest = 0;
  for (std::size_t left = children.size(); left > 0;) {
    std::vector<pollfd> watched{{signals, POLLIN, 0}};
    for (const Child& child : children) watched.push_back({child.ended, POLLIN, 0});
    ::poll(watched.data(), watched.size(), -1);
    if (watched.front().revents != 0) hand_on(children, signals);
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (children[i].ended < 0 || watched[i + 1].revents == 0) continue;
      const int code = code_of(children[i]);
      --left;
      highest = std::max(highest, code);
      if (code != 0 && children[i].takes_others_along) signal_all(children, SIGTERM);
    }
  }
  return highest;
}

}  // namespace cox
