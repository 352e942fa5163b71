// cox-controller: reads the configuration, listens, waits for the database, and then stands by or
// leads (controller/io/leader_host.h) until it ends.
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/descriptor_limit.h"
#include "common/io/link.h"
#include "common/io/local_zone.h"
#include "common/io/log.h"
#include "common/io/log_settings.h"
#include "common/io/memory_limit.h"
#include "common/messages/standing_by.h"
#include "controller/io/checkpoint_root.h"
#include "controller/io/leader_host.h"
#include "controller/io/postgres/database_check.h"
#include "controller/io/postgres/pg_connection.h"
#include "controller/io/postgres/schema.h"
#include "controller/io/restart.h"
#include "controller/io/start_check.h"

namespace cox {
namespace {

// How long commands wait for the database before they are refused.
constexpr Milliseconds database_patience{2'000};
constexpr std::size_t frames_per_round_max = 1000;

// Replies to all messages that have arrived that this controller does not lead, and why. It has not
// asked for the lease yet, so it cannot lead.
void refuse_all(Listener& listener, const std::string& database_trouble) {
  for (const auto& incoming : listener.receive(frames_per_round_max))
    listener.send(incoming.peer, {NotLeader{"", number_of(incoming.messages),
                                            "it waits for PostgreSQL: " + database_trouble}});
}

// Waits until the database answers, since PostgreSQL may start after this program, and adds the
// listener to the poller. Logs the reason why the database does not answer whenever that changes.
// Returns false if the program is asked to end.
bool wait_for_database(PgServers& servers, Poller& poller, Listener& listener) {
  const Boot refuses_from = read_clock().boot + database_patience;
  bool refuses = false;
  std::string last_trouble;
  Backoff backoff = connection_backoff();
  while (const auto trouble = database_trouble(servers)) {
    if (*trouble != last_trouble)
      log_warning("waiting for PostgreSQL message=" + quoted_value(*trouble));
    last_trouble = *trouble;
    Boot now = read_clock().boot;
    const Boot retry_at = now + backoff.failed();
    for (; now < retry_at; now = read_clock().boot) {
      if (!refuses && now >= refuses_from) {
        listener.add_to(poller);
        refuses = true;
      }
      if (refuses) refuse_all(listener, *trouble);
      poller.wait((refuses ? retry_at : std::min(retry_at, refuses_from)) - now);
      if (poller.is_end_requested()) return false;
    }
  }
  if (!refuses) listener.add_to(poller);
  return true;
}

// Creates the schema if the database is empty: it then has no table for the leader's lease. Marks
// the checkpoint folder of a new cluster.
Failure ready_for_leaders(const ControllerConfig& config, PgServers& servers) {
  const auto exists = schema_exists(servers);
  if (!exists) return exists.refusal();
  if (!*exists)
    if (Failure failure = migrate_schema(servers)) return failure;
  const auto any_job = has_jobs(servers);
  if (!any_job) return any_job.refusal();
  return mark_checkpoint_root(config, *any_job);
}

struct Arguments {
  std::string config;
  std::string log_file;
  bool checks_config = false;
  bool checks_start = false;
  bool checks_database = false;
  bool accept_loss = false;
  HeldEndpoints held;
  std::int64_t led_term = 0;

  bool only_checks() const { return checks_config || checks_start || checks_database; }
};

// Carries out one of the checks. Prints a refusal as two lines. Returns the exit code.
int check(const Arguments& arguments, const Result<Config>& config) {
  Failure failure = config ? Failure{} : config.refusal();
  if (!failure && arguments.checks_database)
    std::fputs(check_database(config->controller.database).c_str(), stdout);
  if (!failure && arguments.checks_start)
    failure = check_start(config->controller, arguments.held, Term{arguments.led_term});
  if (failure) std::printf("%s\n%s\n", failure->fact.c_str(), failure->hint.c_str());
  return failure ? 1 : 0;
}

int run(const Arguments& arguments) {
  auto path = find_config(arguments.config);
  auto config = path ? read_controller_config(*path) : Result<Config>(path.refusal());
  if (arguments.only_checks()) {
    ::umask(0077);
    return check(arguments, config);
  }
  if (!config) {
    std::fprintf(stderr, "cox-controller: %s\n%s\n", config.refusal().fact.c_str(),
                 config.refusal().hint.c_str());
    return 2;
  }
  ControllerConfig& controller = config->controller;
  controller.owner_uid = ::geteuid();
  controller.accept_loss = arguments.accept_loss;
  controller.time_zone = read_local_zone(read_clock().wall);
  ::umask(0077);
  open_log("controller", arguments.log_file, config->controller_log);
  limit_memory(controller.memory_limit_mb);
  auto poller = Poller::create(Poller::Hangup::ReadsAgain);
  const auto options = listener_options(controller);
  if (!options) {
    log_error(options.refusal().fact + "; " + options.refusal().hint);
    return 1;
  }
  auto listener = Listener::open(*options);
  if (!listener) {
    log_error(listener.refusal().fact + "; " + listener.refusal().hint);
    return 1;
  }
  PgServers servers(controller.database);
  if (!wait_for_database(servers, *poller, **listener)) return 1;
  if (const Failure failure = ready_for_leaders(controller, servers)) {
    log_error(failure->fact + "; " + failure->hint);
    return 1;
  }
  log_info("listening local=" + quoted_value(controller.listen_local) +
           " tcp=" + quoted_value((*listener)->tcp_endpoint()));
  const LogSettingsFile log_settings(*path, &Config::controller_log);
  return host_leader(*path, controller, servers, **listener, *poller, log_settings);
}

}  // namespace
}  // namespace cox

int main(int argc, char** argv) {
  CLI::App app("The controller of a Coxswain cluster: keeps its state and schedules its jobs.");
  cox::Arguments arguments;
  app.add_option("--config", arguments.config, "the cluster's settings (coxswain.toml)");
  app.add_option("--log", arguments.log_file, "where to log; standard error by default");
  app.add_flag("--check-config", arguments.checks_config, "check the settings, and exit");
  app.add_flag("--check-start", arguments.checks_start,
               "check whether the controller can start with the settings, and exit");
  app.add_option("--held-local", arguments.held.local,
                 "for --check-start: the listen_local that will be free at the start");
  app.add_option("--held-tcp", arguments.held.tcp,
                 "for --check-start: the listen_tcp that will be free at the start");
  app.add_option("--led-term", arguments.led_term,
                 "for --check-start: the term of the controller that will be replaced");
  app.add_flag("--check-database", arguments.checks_database,
               "check whether the database can be used, and exit");
  app.add_flag("--accept-loss", arguments.accept_loss,
               "serve nodes that have run jobs though the database has none, and end those jobs");
  app.set_version_flag("--version", "cox-controller " COX_VERSION);
  CLI11_PARSE(app, argc, argv);
  cox::raise_descriptor_limit();
  const int code = cox::run(arguments);
  return code == cox::exit_to_restart ? cox::replace_program(argv) : code;
}
