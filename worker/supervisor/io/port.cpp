#include "worker/supervisor/io/port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/job/attempt.h"
#include "worker/supervisor/io/files/files.h"

namespace cox {

namespace {

constexpr std::int32_t port_min = 10'000;  // lower ports belong to common services
constexpr std::int32_t port_max = 65'535;
constexpr std::int32_t ports_enough = 1'000;
constexpr int tries_max = 2'000;

struct PortRange {
  std::int32_t first = port_min;
  std::int32_t last = port_max;
};

// Returns the ports below or above the kernel's range of ephemeral ports, whichever are more. If
// these are fewer than ports_enough, returns all ports from port_min on.
PortRange choose_range() {
  int low = 0;
  int high = 0;
  const auto text = read_file("/proc/sys/net/ipv4/ip_local_port_range", 256);
  if (!text || std::sscanf(text->c_str(), "%d %d", &low, &high) != 2) return {};
  const PortRange below{port_min, low - 1};
  const PortRange above{std::max(high + 1, port_min), port_max};
  const PortRange larger = below.last - below.first >= above.last - above.first ? below : above;
  return larger.last - larger.first >= ports_enough ? larger : PortRange{};
}

std::int32_t random_below(std::int32_t bound) {
  std::uint32_t value = 0;
  CHECK(::getrandom(&value, sizeof value, 0) == static_cast<ssize_t>(sizeof value));
  return static_cast<std::int32_t>(value % static_cast<std::uint32_t>(bound));
}

Descriptor hold_name(std::int32_t port) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // The leading zero byte makes it the name of an abstract socket.
  const int length =
      std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "coxswain/master-port/%d", port);
  Descriptor held(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                           static_cast<std::size_t>(length));
  if (::bind(held.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0) held.reset();
  return held;
}

Descriptor bind_port(const std::string& address, std::int32_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  const bool is_v4 = ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) {
    errno = EINVAL;
    return Descriptor();
  }
  Descriptor bound(::socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto* generic =
      is_v4 ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
  const socklen_t size = is_v4 ? sizeof v4 : sizeof v6;
  if (::bind(bound.get(), generic, size) != 0) {
    const int error = errno;
    bound.reset();
    errno = error;
  }
  return bound;
}

}  // namespace

// Holds the ports from `first` on. Fails if a program of another kind uses one of them; errno then
// says why.
bool ReservedPorts::hold(const std::string& address, std::int32_t first) {
  errno = EADDRINUSE;
  first_ = first;
  name_ = hold_name(first);
  if (!name_.is_open()) return false;
  bound_ = bind_port(address, first);
  for (std::int32_t i = 1; i < ports_per_attempt && bound_.is_open(); ++i)
    if (!bind_port(address, first + i).is_open()) return false;
  return bound_.is_open();
}

Result<ReservedPorts> ReservedPorts::reserve(const std::string& address) {
  const PortRange range = choose_range();
  const std::int32_t first = (range.first + ports_per_attempt - 1) / ports_per_attempt;
  const std::int32_t count = (range.last + 1) / ports_per_attempt - first;
  const std::int32_t start = random_below(count);
  for (int i = 0; i < tries_max && i < count; ++i) {
    ReservedPorts ports;
    if (ports.hold(address, (first + (start + i) % count) * ports_per_attempt)) return ports;
    const int error = errno;
    if (error != EADDRINUSE && error != EACCES) {
      return Refusal{"cannot bind a port on " + address + ": " + std::strerror(error),
                     "set worker.address to a numeric address of this machine"};
    }
  }
  return Refusal{"no free ports on " + address + " after " + std::to_string(tries_max) + " tries",
                 ""};
}

}  // namespace cox
