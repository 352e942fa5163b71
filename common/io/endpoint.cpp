#include "common/io/endpoint.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/base/text.h"

namespace cox {

Result<Transport> transport_of(const std::string& endpoint) {
  const bool clean = !has_control_characters(endpoint) && endpoint.find(' ') == std::string::npos;
  if (clean && endpoint.starts_with("ipc:///")) return Transport::Local;
  if (clean && endpoint.starts_with("tcp://")) return Transport::Tcp;
  return Refusal{quoted(endpoint) + " is not an endpoint",
                 "write ipc:///ABSOLUTE/PATH or tcp://ADDRESS:PORT"};
}

std::vector<std::string> endpoints_of(const std::string& list) {
  std::vector<std::string> endpoints;
  for (std::string_view one : split(list, ',')) {
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (!one.empty()) endpoints.emplace_back(one);
  }
  return endpoints;
}

bool any_by_tcp(const std::string& list) {
  return std::ranges::any_of(endpoints_of(list), [](const std::string& one) {
    const auto transport = transport_of(one);
    return transport && *transport == Transport::Tcp;
  });
}

bool somebody_listens(const std::string& endpoint) {
  constexpr std::string_view scheme = "ipc://";
  if (!endpoint.starts_with(scheme)) return true;
  const std::string path = endpoint.substr(scheme.size());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return true;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return true;
  const int rc = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool listens = rc == 0 || errno == EAGAIN;  // EAGAIN: the listener's queue is full
  ::close(fd);
  return listens;
}

}  // namespace cox
