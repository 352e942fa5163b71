#include "worker/supervisor/io/fork_server.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "common/base/check.h"

namespace cox {

namespace {

constexpr std::size_t folder_bytes_max = 4096;  // PATH_MAX
constexpr std::size_t descriptors_sent = 2;
constexpr char ready_word = 'r';

// A socket message that carries the name of a folder and two descriptors, for sending or receiving.
struct Letter {
  char folder[folder_bytes_max];
  alignas(cmsghdr) char control[CMSG_SPACE(descriptors_sent * sizeof(int))];
  iovec text{};
  msghdr head{};

  explicit Letter(std::size_t bytes) {
    text = {folder, bytes};
    head.msg_iov = &text;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof control;
    std::memset(control, 0, sizeof control);
  }
};

// Waits for the next order of the worker. None: the worker has ended.
std::optional<Beginning> receive_beginning(int worker) {
  Letter letter(folder_bytes_max);
  ssize_t bytes = 0;
  do {
    bytes = ::recvmsg(worker, &letter.head, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0) return std::nullopt;
  const cmsghdr* const carried = CMSG_FIRSTHDR(&letter.head);
  CHECK(carried != nullptr && carried->cmsg_type == SCM_RIGHTS &&
        carried->cmsg_len == CMSG_LEN(descriptors_sent * sizeof(int)));
  int descriptors[descriptors_sent];
  std::memcpy(descriptors, CMSG_DATA(carried), sizeof descriptors);
  return Beginning{std::string(letter.folder, static_cast<std::size_t>(bytes)),
                   Descriptor(descriptors[0]), Descriptor(descriptors[1])};
}

}  // namespace

bool send_beginning(int server, const std::string& folder, int lock, int worker) {
  CHECK(!folder.empty() && folder.size() <= folder_bytes_max);
  Letter letter(folder.size());
  std::memcpy(letter.folder, folder.data(), folder.size());
  cmsghdr* const carried = CMSG_FIRSTHDR(&letter.head);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(descriptors_sent * sizeof(int));
  const int descriptors[descriptors_sent] = {lock, worker};
  std::memcpy(CMSG_DATA(carried), descriptors, sizeof descriptors);
  return ::sendmsg(server, &letter.head, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(folder.size());
}

bool is_server_ready(int server, Milliseconds patience) {
  pollfd look{server, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&look, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  char word = 0;
  return ready == 1 && ::recv(server, &word, sizeof word, MSG_DONTWAIT) == sizeof word;
}

std::optional<Beginning> serve_forks(Descriptor worker) {
  ::send(worker.get(), &ready_word, sizeof ready_word, MSG_NOSIGNAL | MSG_DONTWAIT);
  // The kernel reaps supervisors that end: their folders show how they ended.
  ::signal(SIGCHLD, SIG_IGN);
  while (auto beginning = receive_beginning(worker.get())) {
    const pid_t child = ::fork();
    if (child != 0) continue;  // if fork fails, the descriptors close, which the worker sees
    ::signal(SIGCHLD, SIG_DFL);
    return beginning;
  }
  return std::nullopt;
}

}  // namespace cox
