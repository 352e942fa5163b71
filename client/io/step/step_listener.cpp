#include "client/io/step/step_listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "common/base/count_format.h"
#include "common/base/limits.h"
#include "common/io/endpoint.h"

namespace cox {
namespace {

constexpr std::string_view tcp_scheme = "tcp://";
// Limit of connections with one key. All nodes of a step use the same key, and a node's lost
// connection may still exist beside the one that replaces it.
constexpr std::size_t connections_max = 2 * std::size_t{limits::nodes_per_job_max};
// No limit on the bytes of all connections together. Each connection has a limit of its own, and
// each node has its own credit (stream_messages.h).
constexpr std::int64_t unread_bytes_max = std::numeric_limits<std::int64_t>::max();

// Returns the address of this host that the controller's host sees: the source address of the route
// to it. Sends nothing.
Result<std::string> address_towards(const std::string& endpoint) {
  const std::string place = endpoint.substr(tcp_scheme.size());
  const std::size_t colon = place.rfind(':');
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string host = place.substr(0, colon);
  const std::string port = place.substr(colon + 1);
  if (const int rc = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); rc != 0)
    return Refusal{"cannot find " + host + ": " + ::gai_strerror(rc), ""};
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  socklen_t bytes = sizeof own;
  const bool reached = fd >= 0 && ::connect(fd, found->ai_addr, found->ai_addrlen) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &bytes) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  ::freeaddrinfo(found);
  if (!reached) return Refusal{"cannot reach " + host + ": " + std::strerror(error), ""};
  char text[INET_ADDRSTRLEN];
  ::inet_ntop(AF_INET, &own.sin_addr, text, sizeof text);
  return std::string(text);
}

}  // namespace

Result<std::unique_ptr<StepListener>> StepListener::open(const ClientConfig& config) {
  std::unique_ptr<StepListener> listener(new StepListener);
  // The nodes connect in the same way as this host reaches the controllers: over TCP if a
  // controller is reached over TCP, else over a Unix socket.
  const auto endpoints = endpoints_of(config.controller);
  const auto far = std::ranges::find_if(
      endpoints, [](const std::string& one) { return one.starts_with(tcp_scheme); });
  if (Failure failure = far == endpoints.end() ? listener->open_local() : listener->open_tcp(*far))
    return *std::move(failure);
  return listener;
}

Failure StepListener::open_local() {
  // Not in TMPDIR, since the path of a socket must be short.
  auto folder = SocketFolder::make("/tmp/cox-srun-");
  if (!folder) return folder.refusal();
  folder_ = std::move(*folder);
  Listener::Options options;
  options.local_endpoint = "ipc://" + folder_->socket();
  options.connections_per_key = connections_max;
  options.unread_bytes_max = unread_bytes_max;
  auto listener = Listener::open(options);
  if (!listener) return listener.refusal();
  listener_ = std::move(*listener);
  place_.endpoint = options.local_endpoint;
  return std::nullopt;
}

Failure StepListener::open_tcp(const std::string& controller) {
  auto address = address_towards(controller);
  if (!address) return address.refusal();
  const auto ours = make_key_pair();
  const auto theirs = make_key_pair();
  if (!ours) return ours.refusal();
  if (!theirs) return theirs.refusal();
  Listener::Options options;
  options.tcp_endpoint = std::string(tcp_scheme) + *address + ":*";
  options.key = *ours;
  options.keys = {theirs->public_key};
  options.connections_per_key = connections_max;
  options.unread_bytes_max = unread_bytes_max;
  auto listener = Listener::open(options);
  if (!listener) return listener.refusal();
  listener_ = std::move(*listener);
  address_ = *address;
  place_ = {listener_->tcp_endpoint(), ours->public_key, theirs->public_key, theirs->secret_key};
  const std::string& bound = place_.endpoint;
  port_ = parse_count(bound.substr(bound.rfind(':') + 1), 1, 65535).value();
  return std::nullopt;
}

StepListener::~StepListener() {
  listener_.reset();  // closes the socket before its folder is removed
}

bool StepListener::is_step_daemon(const PeerIdentity& peer) {
  return peer.kind == PeerIdentity::Kind::Key || peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace cox
