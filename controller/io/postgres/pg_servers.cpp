#include "controller/io/postgres/pg_servers.h"

#include <libpq-fe.h>

#include <map>

namespace cox {
namespace {

// What cannot be read names no servers: libpq will say what is wrong with it.
std::vector<DatabaseServer> servers_in(const std::string& conninfo) {
  std::map<std::string, std::string> words;
  PQconninfoOption* const options = PQconninfoParse(conninfo.c_str(), nullptr);
  for (const PQconninfoOption* option = options; option && option->keyword; ++option)
    if (option->val != nullptr) words[option->keyword] = option->val;
  PQconninfoFree(options);
  return servers_named(words["host"], words["hostaddr"], words["port"]);
}

}  // namespace

PgConnectWords::PgConnectWords(const std::string& conninfo)
    : PgConnectWords(conninfo, {}, "read-write") {}

PgConnectWords::PgConnectWords(const std::string& conninfo,
                               const std::vector<DatabaseServer>& servers)
    : PgConnectWords(conninfo, servers, "read-write") {}

PgConnectWords::PgConnectWords(const std::string& conninfo, const DatabaseServer& server)
    : PgConnectWords(conninfo, {server}, "any") {}

PgConnectWords::PgConnectWords(const std::string& conninfo,
                               const std::vector<DatabaseServer>& servers, const char* target)
    : keywords_{"connect_timeout",     "tcp_user_timeout", "keepalives_idle",
                "keepalives_interval", "keepalives_count", "dbname"},
      values_{"10", "10000", "5", "2", "3", conninfo.c_str()} {
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const char* const comma = i == 0 ? "" : ",";
    hosts_ += comma + servers[i].host;
    addresses_ += comma + servers[i].address;
    ports_ += comma + servers[i].port;
  }
  add_list("host", hosts_);
  add_list("hostaddr", addresses_);
  add_list("port", ports_);
  add("client_encoding", "UTF8");
  add("target_session_attrs", target);
  add("application_name", "cox-controller");
  add(nullptr, nullptr);
}

// A list that names nothing is as good as none.
void PgConnectWords::add_list(const char* keyword, const std::string& list) {
  if (list.find_first_not_of(',') != std::string::npos) add(keyword, list.c_str());
}

void PgConnectWords::add(const char* keyword, const char* value) {
  keywords_.push_back(keyword);
  values_.push_back(value);
}

PgServers::PgServers(std::string conninfo)
    : conninfo_(std::move(conninfo)), known_(servers_in(conninfo_)) {}

PgConnectWords PgServers::words() const {
  return PgConnectWords(conninfo_, known_.in_order());
}

PgConnectWords PgServers::words_of(std::size_t server) const {
  return PgConnectWords(conninfo_, known_.all().at(server));
}

std::string PgServers::why_former(std::int64_t timeline) const {
  return "the server is a former primary: it is on timeline " + std::to_string(timeline) +
         ", and one on timeline " + std::to_string(newest()) + " has been promoted";
}

}  // namespace cox
