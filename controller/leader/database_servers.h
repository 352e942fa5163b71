// The servers that may be the primary, and what has been seen of them. Each promotion of a replica
// begins a new timeline, so of two servers that take writes the one with the lower number is a
// former primary: whatever is written there is lost. Pure; controller/io/postgres/pg_servers.h asks
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cox {

struct DatabaseServer {
  std::string host;     // as the connection string has it, these three; may be empty
  std::string address;  // hostaddr
  std::string port;
  std::int64_t timeline = 0;  // on which it took writes when it was seen last; 0: never seen
  bool operator==(const DatabaseServer&) const = default;
};

// Out of the lists of a connection string, "a,b". One port stands for all.
std::vector<DatabaseServer> servers_named(const std::string& hosts, const std::string& addresses,
                                          const std::string& ports);

class DatabaseServers {
 public:
  explicit DatabaseServers(std::vector<DatabaseServer> servers) : servers_(std::move(servers)) {}

  // The server that answers there takes writes, on this timeline.
  void saw(const std::string& host, const std::string& port, std::int64_t timeline);
  std::int64_t newest() const { return newest_; }  // 0: none was seen
  // Another server has been promoted since: nobody may read or write there any more.
  bool is_former(std::int64_t timeline) const { return timeline < newest_; }
  const std::vector<DatabaseServer>& all() const { return servers_; }
  // Whom to try first: the primary, then those of whom nothing is known, former primaries last.
  std::vector<DatabaseServer> in_order() const;

 private:
  std::vector<DatabaseServer> servers_;
  std::int64_t newest_ = 0;
};

// What libpq says of a connection that failed: of each server one line, without its guesses.
std::string reason_of(const std::string& message);

}  // namespace cox
