// The database servers that the controller's connections may use. All connections of a controller
// share one PgServers, so that a promotion noticed by one takes effect for all. A connection
// records its server's timeline when it opens (saw()). A connection whose server is a former
// primary by then is closed at its next poll().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/leader/database_servers.h"

namespace cox {

// Keywords and values for libpq, each list ended by a null pointer. They are, in this order: our
// defaults, the user's connection string, and settings that override both.
class PgConnectParameters {
 public:
  // Connects to the first server of the connection string that takes writes.
  explicit PgConnectParameters(const std::string& conninfo);
  // Connects to the first of these servers that takes writes.
  PgConnectParameters(const std::string& conninfo, const std::vector<DatabaseServer>& servers);
  // Connects to this server, whether it takes writes or not.
  PgConnectParameters(const std::string& conninfo, const DatabaseServer& server);
  PgConnectParameters(const PgConnectParameters&) = delete;
  PgConnectParameters& operator=(const PgConnectParameters&) = delete;

  const char* const* keywords() const { return keywords_.data(); }
  const char* const* values() const { return values_.data(); }

 private:
  PgConnectParameters(const std::string& conninfo, const std::vector<DatabaseServer>& servers,
                      const char* target);
  void add(const char* keyword, const char* value);
  void add_list(const char* keyword, const std::string& list);

  std::string hosts_;
  std::string addresses_;
  std::string ports_;
  std::vector<const char*> keywords_;
  std::vector<const char*> values_;
};

class PgServers {
 public:
  // NOLINT: implicit, so that a connection string can be passed as its servers.
  PgServers(std::string conninfo);

  const std::string& conninfo() const { return conninfo_; }
  const std::vector<DatabaseServer>& all() const { return known_.all(); }
  // Returns parameters for libpq that connect to the primary.
  PgConnectParameters parameters() const;
  // The same for this server of all(), be it the primary or a replica.
  PgConnectParameters parameters_of(std::size_t server) const;

  void saw(const std::string& host, const std::string& port, std::int64_t timeline) {
    known_.saw(host, port, timeline);
  }
  std::int64_t newest() const { return known_.newest(); }
  bool is_former(std::int64_t timeline) const { return known_.is_former(timeline); }
  // Returns, for logs, why a server on this timeline may not be used.
  std::string why_former(std::int64_t timeline) const;

 private:
  std::string conninfo_;
  DatabaseServers known_;
};

}  // namespace cox
