#include "controller/io/start_check.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/base/text.h"
#include "common/io/host_groups.h"
#include "controller/io/checkpoint_root.h"
#include "controller/io/postgres/database_check.h"
#include "controller/io/postgres/schema.h"

namespace cox {
namespace {

std::string port_of(const std::string& endpoint) {
  return endpoint.substr(endpoint.rfind(':') + 1);
}

// Binds the endpoints and closes them again. The running controller holds its own port, possibly
// at another address, so for this port only the address is tried.
Failure check_endpoints(Listener::Options options, const HeldEndpoints& held) {
  if (options.local_endpoint == held.local) options.local_endpoint.clear();
  if (!held.tcp.empty() && port_of(options.tcp_endpoint) == port_of(held.tcp))
    options.tcp_endpoint.replace(options.tcp_endpoint.rfind(':'), std::string::npos, ":*");
  if (options.local_endpoint.empty() && options.tcp_endpoint.empty()) return std::nullopt;
  const auto listener = Listener::open(options);
  return listener ? Failure{} : listener.refusal();
}

Failure check_programs(const ControllerConfig& config) {
  const std::array<std::pair<const char*, std::string>, 6> programs{{
      {"mail_program", config.mail_program},
      {"notify_program", config.notify_program},
      {"fence_program", config.fence_program},
      {"prolog_program", config.prolog_program},
      {"epilog_program", config.epilog_program},
      {"submit_program", config.submit_program},
  }};
  for (const auto& [key, path] : programs) {
    if (path.empty() || ::access(path.c_str(), X_OK) == 0) continue;
    return Refusal{
        std::string(key) + " in [controller]: cannot run " + path + ": " + std::strerror(errno),
        "install the program, or correct its path"};
  }
  return std::nullopt;
}

Failure check_groups(const ControllerConfig& config) {
  for (const PartitionConfig& partition : config.partitions)
    for (const AllowedGroup& group : partition.allow_groups)
      if (!find_host_group(group.name))
        return Refusal{"allow_groups in [[partition]] " + quoted(partition.name) +
                           " names the group " + quoted(group.name) + ", which this host lacks",
                       "correct the name; `getent group` lists the groups"};
  return std::nullopt;
}

// Returns the value of a line KEY=VALUE in what check_database() returns; empty: no such line.
std::string value_of(std::string_view key, const std::string& facts) {
  for (const std::string_view line : split(facts, '\n'))
    if (line.starts_with(key) && line.substr(key.size()).starts_with('='))
      return std::string(line.substr(key.size() + 1));
  return "";
}

int number_of(std::string_view key, const std::string& facts) {
  const std::string text = value_of(key, facts);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Failure check_database_of(const ControllerConfig& config) {
  const std::string facts = check_database(config.database);
  if (const std::string error = value_of("error", facts); !error.empty())
    return Refusal{"database in [controller] cannot be used: " + error,
                   "correct the setting, or start that PostgreSQL"};
  if (value_of("writable", facts) != "1")
    return Refusal{"database in [controller] is not writable for this controller",
                   "make its role the owner of the database, or name the primary"};
  const int schema = number_of("schema_version", facts);
  if (schema > newest_migration()) return schema_too_new(schema);
  return std::nullopt;
}

// The workers have obeyed the term of the present leader, and obey no lower one.
Failure check_term(PgServers& servers, Term led) {
  const auto found = newest_term(servers);
  if (!found) return found.refusal();
  if (*found >= led) return std::nullopt;
  return Refusal{"database in [controller] names another database than the cluster's, or an older "
                 "copy of it: " +
                     (*found == Term{} ? "no controller has led there"
                                       : "its newest term is " + std::to_string(found->value)) +
                     ", and this controller leads term " + std::to_string(led.value),
                 "correct the setting; to go back to a backup, stop the controllers first"};
}

}  // namespace

Result<Listener::Options> listener_options(const ControllerConfig& config) {
  Listener::Options options{config.listen_local, false, config.listen_tcp, {}, "", {}};
  options.connections_per_key = static_cast<std::size_t>(config.connections_per_key);
  if (config.listen_tcp.empty()) return options;
  auto key = read_key_file(config.key_dir + "/controller.key");
  if (!key) {
    const auto& [fact, hint] = key.refusal();
    return Refusal{"key_dir in [controller]: " + fact,
                   hint.empty() ? "correct it, or make the key with 'cox key make'" : hint};
  }
  options.key = *key;
  options.key_dir = config.key_dir;
  options.key_prefixes = {"worker-", "client"};
  return options;
}

Failure check_start(const ControllerConfig& config, const HeldEndpoints& held, Term led) {
  const auto options = listener_options(config);
  if (!options) return options.refusal();
  if (Failure failure = check_endpoints(*options, held)) return failure;
  if (Failure failure = check_programs(config)) return failure;
  if (Failure failure = check_groups(config)) return failure;
  if (Failure failure = check_database_of(config)) return failure;
  PgServers servers(config.database);
  if (Failure failure = check_term(servers, led)) return failure;
  const auto any_job = has_jobs(servers);
  if (!any_job) return any_job.refusal();
  return mark_checkpoint_root(config, *any_job);
}

}  // namespace cox
