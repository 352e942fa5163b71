#include "controller/leader/database_servers.h"

#include <algorithm>

namespace cox {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

}  // namespace

std::vector<DatabaseServer> servers_named(const std::string& hosts, const std::string& addresses,
                                          const std::string& ports) {
  const auto host = parts_of(hosts, ',');
  const auto address = parts_of(addresses, ',');
  const auto port = parts_of(ports, ',');
  std::vector<DatabaseServer> servers(std::max(host.size(), address.size()));
  for (std::size_t i = 0; i < servers.size(); ++i) {
    if (i < host.size()) servers[i].host = host[i];
    if (i < address.size()) servers[i].address = address[i];
    servers[i].port = port.size() == 1 ? port.front() : i < port.size() ? port[i] : "";
  }
  return servers;
}

void DatabaseServers::saw(const std::string& host, const std::string& port, std::int64_t timeline) {
  newest_ = std::max(newest_, timeline);
  for (DatabaseServer& server : servers_) {
    const bool named = server.host.empty() ? server.address == host : server.host == host;
    if (named && (server.port.empty() || server.port == port)) server.timeline = timeline;
  }
}

std::vector<DatabaseServer> DatabaseServers::in_order() const {
  const auto rank = [this](const DatabaseServer& server) {
    if (server.timeline == 0) return 1;
    return is_former(server.timeline) ? 2 : 0;
  };
  std::vector<DatabaseServer> ordered = servers_;
  std::ranges::stable_sort(ordered, {}, rank);
  return ordered;
}

std::string reason_of(const std::string& message) {
  std::string reason;
  for (const std::string& line : parts_of(message, '\n'))
    if (line.starts_with("connection to server")) reason += (reason.empty() ? "" : "; ") + line;
  if (reason.empty()) reason = message.substr(0, message.find('\n'));
  while (reason.ends_with(' ')) reason.pop_back();
  return reason;
}

std::string error_line(const std::string& message) {
  std::string line;
  for (const std::string& part : parts_of(message, '\n')) {
    const auto first = part.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const auto last = part.find_last_not_of(" \t");
    line += (line.empty() ? "" : "; ") + part.substr(first, last + 1 - first);
  }
  return line;
}

}  // namespace cox
