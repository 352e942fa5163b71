// Where the controller's connections lead: one for all of them, so that what one comes to know of
// a promoted server holds for all at once. A connection says what it met when it opens (saw());
// whichever is still with a former primary by then leaves it at its next poll.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/leader/database_servers.h"

namespace cox {

// Keywords and values for libpq, NULL-ended: our defaults, the user's string, what must be so.
class PgConnectWords {
 public:
  explicit PgConnectWords(const std::string& conninfo);  // as it is
  // To the first of these that takes writes.
  PgConnectWords(const std::string& conninfo, const std::vector<DatabaseServer>& servers);
  // To this one, whether it takes writes or not.
  PgConnectWords(const std::string& conninfo, const DatabaseServer& server);
  PgConnectWords(const PgConnectWords&) = delete;
  PgConnectWords& operator=(const PgConnectWords&) = delete;

  const char* const* keywords() const { return keywords_.data(); }
  const char* const* values() const { return values_.data(); }

 private:
  PgConnectWords(const std::string& conninfo, const std::vector<DatabaseServer>& servers,
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
  PgServers(std::string conninfo);  // NOLINT: a connection string is one

  const std::string& conninfo() const { return conninfo_; }
  const std::vector<DatabaseServer>& all() const { return known_.all(); }
  PgConnectWords words() const;                       // to the primary
  PgConnectWords words_of(std::size_t server) const;  // to one of all(), whatever it is

  void saw(const std::string& host, const std::string& port, std::int64_t timeline) {
    known_.saw(host, port, timeline);
  }
  std::int64_t newest() const { return known_.newest(); }
  bool is_former(std::int64_t timeline) const { return known_.is_former(timeline); }
  // For people: why nobody may stay with a server of this timeline.
  std::string why_former(std::int64_t timeline) const;

 private:
  std::string conninfo_;
  DatabaseServers known_;
};

}  // namespace cox
