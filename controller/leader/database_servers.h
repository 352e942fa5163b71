// The database servers that may be the primary, and their timelines. Each promotion of a replica
// begins a new timeline. So of two servers that accept writes, the one on the lower timeline is a
// former primary, and what is written there is lost. Pure; controller/io/postgres/pg_servers.h
// connects to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cox {

struct DatabaseServer {
  std::string host;     // host, address and port as in the connection string; each may be empty
  std::string address;  // hostaddr
  std::string port;
  std::int64_t timeline = 0;  // the server's timeline when it last accepted writes; 0: it never did
  bool operator==(const DatabaseServer&) const = default;
};

// Returns the servers of a connection string, whose keywords have lists ("a,b"). A single port is
// the port of all servers.
std::vector<DatabaseServer> servers_named(const std::string& hosts, const std::string& addresses,
                                          const std::string& ports);

class DatabaseServers {
 public:
  explicit DatabaseServers(std::vector<DatabaseServer> servers) : servers_(std::move(servers)) {}

  // Records that the server at this host and port accepts writes, on this timeline.
  void saw(const std::string& host, const std::string& port, std::int64_t timeline);
  // The highest timeline on which a server has accepted writes; 0: none has.
  std::int64_t newest() const { return newest_; }
  // Returns whether a server on this timeline is a former primary: another one has been promoted
  // since. A former primary must not be used.
  bool is_former(std::int64_t timeline) const { return timeline < newest_; }
  const std::vector<DatabaseServer>& all() const { return servers_; }
  // Returns the servers in the order in which to connect: the primary, then unknown servers, then
  // former primaries.
  std::vector<DatabaseServer> in_order() const;

 private:
  std::vector<DatabaseServer> servers_;
  std::int64_t newest_ = 0;
};

// Returns libpq's message about a failed connection, reduced to one line for each server, without
// libpq's hints.
std::string reason_of(const std::string& message);
// Returns PostgreSQL's error with its lines, such as DETAIL, joined by "; ".
std::string error_line(const std::string& message);

}  // namespace cox
