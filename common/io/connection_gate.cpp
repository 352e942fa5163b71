#include "common/io/connection_gate.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "common/base/check.h"
#include "common/io/clock.h"

namespace cox {
namespace {

// The gates of the listening sockets, by descriptor.
std::mutex listening_mutex;
std::map<int, ConnectionGate*> listening;

// Set only in a thread that is inside ConnectionGate::bind(): the gate of the socket that is being
// bound.
thread_local ConnectionGate* gate_of_bind = nullptr;
// Whether this thread has called listen() since its bind() began.
thread_local bool has_listened = false;
// Set in libzmq's I/O thread: the gate of all connections that the thread serves. Each listener has
// a libzmq context of its own, and each context has one I/O thread.
thread_local ConnectionGate* gate_of_thread = nullptr;

ConnectionGate* gate_of_listening(int fd) {
  const std::lock_guard lock(listening_mutex);
  const auto at = listening.find(fd);
  return at == listening.end() ? nullptr : at->second;
}

}  // namespace

ConnectionGate::~ConnectionGate() {
  const std::lock_guard lock(listening_mutex);
  std::erase_if(listening, [this](const auto& one) { return one.second == this; });
}

int ConnectionGate::bind(zmq::socket_t& socket, const std::string& endpoint) {
  gate_of_bind = this;
  has_listened = false;
  const int rc = zmq_bind(socket.handle(), endpoint.c_str());
  const int error = errno;
  gate_of_bind = nullptr;
  // Fails if libzmq is linked so that it calls libc's listen() directly: then no connection would
  // be bounded.
  CHECK(rc != 0 || has_listened);
  errno = error;
  return rc;
}

std::uint64_t ConnectionGate::next_number() {
  const std::lock_guard lock(mutex_);
  return book_.next_number();
}

void ConnectionGate::note_taken(const ConnectionBook::Taken& taken) {
  const std::lock_guard lock(mutex_);
  book_.note_taken(taken, read_clock().boot);
  close_named();
}

void ConnectionGate::close_unless(const ConnectionBook::Admits& admits) {
  const std::lock_guard lock(mutex_);
  book_.close_unless(admits);
  close_named();
}

void ConnectionGate::close(const ConnectionBook::Taken& taken, const std::string& why) {
  const std::lock_guard lock(mutex_);
  book_.close(taken, why);
  close_named();
}

ConnectionGate::Closed ConnectionGate::take_closed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(closed_, {});
}

// Shuts down, in both directions, the connections that the book has named. libzmq then closes them
// as if the peer had. Until that they keep their descriptors, and on_closing() removes them from
// the book before a descriptor can be reused.
void ConnectionGate::close_named() {
  for (auto& closing : book_.take_closings()) {
    ::shutdown(closing.fd, SHUT_RDWR);
    ++closed_.count;
    closed_.last = std::move(closing.why);
  }
}

void ConnectionGate::on_accepted(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;
  const Boot now = read_clock().boot;
  const std::lock_guard lock(mutex_);
  if (peer.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(peer);
    book_.open_tcp(fd, ntohl(in.sin_addr.s_addr), now);
  } else {
    ucred credentials{};
    socklen_t bytes = sizeof credentials;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) return;
    book_.open_local(fd, credentials.uid, now);
  }
  close_named();
}

// Records that recv() has returned `count` bytes, and returns what libzmq is to get as result of
// recv(): `count`, or 0 (the end of the connection) if the connection is being closed.
ssize_t ConnectionGate::on_received(int fd, const void* bytes, ssize_t count) {
  if (count <= 0) return count;
  const Boot now = read_clock().boot;
  const std::lock_guard lock(mutex_);
  const std::string_view text(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
  book_.note_received(fd, text, now);
  close_named();
  return book_.is_closing(fd) ? 0 : count;
}

void ConnectionGate::on_sent(int fd, ssize_t count) {
  if (count <= 0) return;
  const std::lock_guard lock(mutex_);
  book_.note_sent(fd, static_cast<std::size_t>(count));
  close_named();
}

void ConnectionGate::on_closing(int fd) {
  const std::lock_guard lock(mutex_);
  book_.note_closed(fd);
}

// The functions that libzmq calls instead of those of libc. They have other names in this file,
// since libc's headers may define the usual ones inline.
#define COX_INSTEAD_OF(name) __asm__(name) __attribute__((visibility("default"), used))
extern "C" {
int cox_listen(int fd, int backlog) COX_INSTEAD_OF("listen");
int cox_accept4(int fd, sockaddr* peer, socklen_t* size, int flags) COX_INSTEAD_OF("accept4");
ssize_t cox_recv(int fd, void* bytes, std::size_t size, int flags) COX_INSTEAD_OF("recv");
ssize_t cox_send(int fd, const void* bytes, std::size_t size, int flags) COX_INSTEAD_OF("send");
int cox_close(int fd) COX_INSTEAD_OF("close");

int cox_listen(int fd, int backlog) {
  if (gate_of_bind != nullptr) {
    const std::lock_guard lock(listening_mutex);
    listening[fd] = gate_of_bind;
    has_listened = true;
  }
  return static_cast<int>(::syscall(SYS_listen, fd, backlog));
}

int cox_accept4(int fd, sockaddr* peer, socklen_t* size, int flags) {
  const int accepted = static_cast<int>(::syscall(SYS_accept4, fd, peer, size, flags));
  if (accepted < 0) return accepted;
  if (ConnectionGate* gate = gate_of_listening(fd)) {
    gate_of_thread = gate;
    gate->on_accepted(accepted);
  }
  return accepted;
}

ssize_t cox_recv(int fd, void* bytes, std::size_t size, int flags) {
  const ssize_t count = ::syscall(SYS_recvfrom, fd, bytes, size, flags, nullptr, nullptr);
  return gate_of_thread == nullptr ? count : gate_of_thread->on_received(fd, bytes, count);
}

ssize_t cox_send(int fd, const void* bytes, std::size_t size, int flags) {
  const ssize_t count = ::syscall(SYS_sendto, fd, bytes, size, flags, nullptr, 0);
  if (gate_of_thread != nullptr) gate_of_thread->on_sent(fd, count);
  return count;
}

int cox_close(int fd) {
  if (gate_of_thread != nullptr) gate_of_thread->on_closing(fd);
  return static_cast<int>(::syscall(SYS_close, fd));
}
}
#undef COX_INSTEAD_OF

}  // namespace cox
