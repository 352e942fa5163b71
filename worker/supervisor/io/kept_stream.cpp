#include "worker/supervisor/io/kept_stream.h"

#include <linux/close_range.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "worker/supervisor/io/child.h"

namespace cox {

namespace {

// A socket message that carries one byte and one descriptor, for sending or receiving.
struct Parcel {
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec text{&byte, 1};
  msghdr head{};

  Parcel() {
    head.msg_iov = &text;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof control;
  }
};

}  // namespace

Result<StreamKeep> make_stream_keep() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return Refusal{std::string("cannot make a socket: ") + std::strerror(errno), ""};
  return StreamKeep{Descriptor(ends[0]), Descriptor(ends[1])};
}

void keep_stream(const Descriptor& childs, int stream) {
  Parcel parcel;
  cmsghdr* const carried = CMSG_FIRSTHDR(&parcel.head);
  carried->cmsg_level = SOL_SOCKET;
  carried->cmsg_type = SCM_RIGHTS;
  carried->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(carried), &stream, sizeof stream);
  ::sendmsg(childs.get(), &parcel.head, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Descriptor take_stream(const Descriptor& ours) {
  Parcel parcel;
  if (::recvmsg(ours.get(), &parcel.head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0)
    return Descriptor();
  const cmsghdr* const carried = CMSG_FIRSTHDR(&parcel.head);
  if (carried == nullptr || carried->cmsg_type != SCM_RIGHTS) return Descriptor();
  int stream = -1;
  std::memcpy(&stream, CMSG_DATA(carried), sizeof stream);
  return Descriptor(stream);
}

pid_t write_as(uid_t uid, gid_t gid, const Descriptor& stream, const std::string& line) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  become_plain_child(parent);
  if (!become_user(uid, gid)) ::_exit(1);
  become_plain_child(parent);  // again: the change of user cleared PR_SET_PDEATHSIG
  // The child closes all other descriptors: if it hangs, it must not keep the supervisor's lock and
  // connections open.
  if (::dup2(stream.get(), STDERR_FILENO) < 0) ::_exit(1);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);
  const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(written < 0 ? 1 : 0);
}

}  // namespace cox
