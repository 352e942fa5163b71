// libzmq does not report why a handshake ends: in each case the other side closes the connection.
// So the connection goes through a relay in this process, which counts the bytes that the other
// side sends. The parts of a CURVE handshake (RFC 26) have known sizes:
//
// Bytes from the other side, and what they show:
//   greeting 64 bytes          the other side speaks ZMTP with CURVE
//   WELCOME  170 bytes         it could decrypt our HELLO: its key is the expected one
//   READY    more              it accepts our key
#include "client/io/private/handshake_probe.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "common/io/clock.h"

namespace cox {
namespace {

constexpr Milliseconds patience{3'000};  // limit for the connection, and again for the handshake
constexpr std::size_t greeting_bytes = 64;
constexpr std::size_t welcome_bytes = 170;
constexpr std::size_t mechanism_at = 12;  // offset of the mechanism's name in a greeting

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() { close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd_ = -1;
};

bool wait_for(int fd, short events, Boot end) {
  for (;;) {
    const Milliseconds left = end - read_clock().boot;
    pollfd look{fd, events, 0};
    const int ready = ::poll(&look, 1, std::max(0, static_cast<int>(left.count())));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// Connects within `patience`. Returns 0 or an errno.
int connect_to(const addrinfo& address, Socket& to) {
  to = Socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!to.is_open()) return errno;
  if (::connect(to.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(to.get(), POLLOUT, read_clock().boot + patience)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(to.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

// Connects to the endpoint. If that fails, the returned socket is closed and `facts` has the
// reason.
Socket reach(HandshakeFacts& facts) {
  constexpr std::string_view scheme = "tcp://";
  const std::string address = facts.endpoint.substr(scheme.size());
  const std::size_t colon = std::min(address.rfind(':'), address.size());
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string port = colon < address.size() ? address.substr(colon + 1) : "";
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  facts.end = HandshakeEnd::Unreachable;
  if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found); error != 0) {
    facts.why = ::gai_strerror(error);
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Socket to;
    const int error = connect_to(*one, to);
    if (error == 0) return to;
    facts.why = std::strerror(error);
    if (error == ECONNREFUSED) facts.end = HandshakeEnd::NobodyListens;
  }
  return {};
}

// Listens on a random loopback port and sets `endpoint` to its address. If that fails, the returned
// socket is closed.
Socket listen_here(std::string& endpoint) {
  Socket listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener.is_open() || ::bind(listener.get(), any, size) != 0 ||
      ::listen(listener.get(), 1) != 0 || ::getsockname(listener.get(), any, &size) != 0)
    return {};
  endpoint = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  return listener;
}

// Forwards the bytes that have arrived and appends them to `seen`. Returns false if `from` has
// closed the connection or `to` does not take the bytes.
bool pass_on(int from, int to, std::string& seen) {
  char piece[1024];
  const ssize_t bytes = ::recv(from, piece, sizeof piece, MSG_DONTWAIT);
  if (bytes < 0) return errno == EAGAIN || errno == EINTR;
  if (bytes == 0) return false;
  seen.append(piece, static_cast<std::size_t>(bytes));
  return ::send(to, piece, static_cast<std::size_t>(bytes), MSG_NOSIGNAL) == bytes;
}

// Relays between both sides. Returns the bytes that the other side sent until it closed the
// connection, had sent enough bytes, or `patience` was over.
std::string relay(const Socket& ours, const Socket& theirs) {
  const Boot end = read_clock().boot + patience;
  std::string sent, heard;
  while (heard.size() <= greeting_bytes + welcome_bytes && read_clock().boot < end) {
    pollfd both[] = {{ours.get(), POLLIN, 0}, {theirs.get(), POLLIN, 0}};
    if (::poll(both, 2, 100) < 0 && errno != EINTR) break;
    if (both[0].revents != 0 && !pass_on(ours.get(), theirs.get(), sent)) break;
    if (both[1].revents != 0 && !pass_on(theirs.get(), ours.get(), heard)) break;
  }
  return heard;
}

HandshakeEnd end_of(const std::string& heard) {
  constexpr std::string_view mechanism = "CURVE";
  if (heard.size() < greeting_bytes ||
      heard.compare(mechanism_at, mechanism.size(), mechanism) != 0)
    return HandshakeEnd::Stranger;
  if (heard.size() < greeting_bytes + welcome_bytes) return HandshakeEnd::OtherServerKey;
  if (heard.size() == greeting_bytes + welcome_bytes) return HandshakeEnd::KeyRefused;
  return HandshakeEnd::Succeeded;
}

}  // namespace

void probe_handshake(HandshakeFacts& facts, const std::string& server_key, const KeyPair& key) {
  const Socket theirs = reach(facts);
  if (!theirs.is_open()) return;
  std::string here;
  const Socket listener = listen_here(here);
  if (!listener.is_open()) return;
  const auto connection = Connection::open({here, server_key, key});
  if (!connection) {
    facts.why = connection.refusal().fact;
    return;
  }
  if (!wait_for(listener.get(), POLLIN, read_clock().boot + patience)) return;
  const Socket ours(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (ours.is_open()) facts.end = end_of(relay(ours, theirs));
}

}  // namespace cox
