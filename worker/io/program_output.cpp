#include "worker/io/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "common/io/clock.h"
#include "common/io/memory_limit.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {
namespace {

constexpr Milliseconds end_poll_interval{10};

// Starts a program whose standard output is `fd`. Its input and standard error are /dev/null.
std::optional<pid_t> spawn_writing_to(int fd, std::vector<std::string> words) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  CHECK(::posix_spawn_file_actions_init(&actions) == 0 && ::posix_spawnattr_init(&attributes) == 0);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const MemoryLimitLifted for_the_child;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return std::nullopt;
  return pid;
}

int left_ms(Boot until) {
  return static_cast<int>(std::max<std::int64_t>(0, (until - read_clock().boot).count()));
}

// Returns everything up to the end of the stream. None: a read failed, `until` has passed, or there
// are more than `bytes_max` bytes.
std::optional<std::string> read_to_end(int fd, Boot until, std::size_t bytes_max) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() <= bytes_max) {
    pollfd ready{fd, POLLIN, 0};
    const int events = ::poll(&ready, 1, left_ms(until));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) return std::nullopt;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

// Returns whether the process exits with 0 before `until`. A process that hangs in a driver is not
// reaped.
bool ends_well(pid_t pid, Boot until) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0 && left_ms(until) > 0)
    ::poll(nullptr, 0, static_cast<int>(end_poll_interval.count()));
  return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<std::string> program_output(const std::vector<std::string>& words,
                                          Milliseconds timeout, std::size_t bytes_max) {
  constexpr Milliseconds kill_wait{500};
  CHECK(!words.empty());
  const Boot until = read_clock().boot + timeout;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const auto pid = spawn_writing_to(writing.get(), words);
  if (!pid) return std::nullopt;
  writing.reset();
  auto text = read_to_end(reading.get(), until, bytes_max);
  if (text && ends_well(*pid, until)) return text;
  ::kill(*pid, SIGKILL);
  ends_well(*pid, read_clock().boot + kill_wait);
  return std::nullopt;
}

}  // namespace cox
