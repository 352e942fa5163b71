#include "controller/io/postgres/pg_servers.h"

#include <libpq-fe.h>

#include <map>

namespace cox {
namespace {

// Returns the servers of the connection string; none if it is invalid, which libpq reports later.
std::vector<DatabaseServer> servers_in(const std::string& conninfo) {
  std::map<std::string, std::string> parameters;
  PQconninfoOption* const options = PQconninfoParse(conninfo.c_str(), nullptr);
  for (const PQconninfoOption* option = options; option && option->keyword; ++option)
    if (option->val != nullptr) parameters[option->keyword] = option->val;
  PQconninfoFree(options);
  return servers_named(parameters["host"], parameters["hostaddr"], parameters["port"]);
}

}  // namespace

PgConnectParameters::PgConnectParameters(const std::string& conninfo)
    : PgConnectParameters(conninfo, {}, "read-write") {}

PgConnectParameters::PgConnectParameters(const std::string& conninfo,
                                         const std::vector<DatabaseServer>& servers)
    : PgConnectParameters(conninfo, servers, "read-write") {}

PgConnectParameters::PgConnectParameters(const std::string& conninfo, const DatabaseServer& server)
    : PgConnectParameters(conninfo, {server}, "any") {}

PgConnectParameters::PgConnectParameters(const std::string& conninfo,
                                         const std::vector<DatabaseServer>& servers,
                                         const char* target)
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

// Adds the list of values (one for each server) under this keyword, unless all values are empty.
void PgConnectParameters::add_list(const char* keyword, const std::string& list) {
  if (list.find_first_not_of(',') != std::string::npos) add(keyword, list.c_str());
}

void PgConnectParameters::add(const char* keyword, const char* value) {
  keywords_.push_back(keyword);
  values_.push_back(value);
}

PgServers::PgServers(std::string conninfo)
    : conninfo_(std::move(conninfo)), known_(servers_in(conninfo_)) {}

PgConnectParameters PgServers::parameters() const {
  return PgConnectParameters(conninfo_, known_.in_order());
}

PgConnectParameters PgServers::parameters_of(std::size_t server) const {
  return PgConnectParameters(conninfo_, known_.all().at(server));
}

std::string PgServers::why_former(std::int64_t timeline) const {
  return "the server is a former primary: it is on timeline " + std::to_string(timeline) +
         ", and one on timeline " + std::to_string(newest()) + " has been promoted";
}

}  // namespace cox
