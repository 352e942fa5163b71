// cox-controller: builds the tree (configuration, link, leadership) and stands by until it leads;
// then builds the rest (store, controller) and turns the crank: wait, receive, run turns, send.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/config/config_file.h"
#include "common/io/crash_point.h"
#include "common/io/descriptor_limit.h"
#include "common/io/link.h"
#include "common/io/local_zone.h"
#include "common/io/log.h"
#include "common/io/log_settings.h"
#include "common/io/memory_limit.h"
#include "common/messages/standing_by.h"
#include "controller/io/checkpoint_root.h"
#include "controller/io/fencer.h"
#include "controller/io/group_finder.h"
#include "controller/io/notifier.h"
#include "controller/io/postgres/database_check.h"
#include "controller/io/postgres/leadership.h"
#include "controller/io/postgres/orderly_stop.h"
#include "controller/io/postgres/pg_scouts.h"
#include "controller/io/postgres/schema.h"
#include "controller/io/records/postgres_store.h"
#include "controller/io/records/standby_job_reader.h"
#include "controller/io/records/user_names.h"
#include "controller/io/restart.h"
#include "controller/io/site_runner.h"
#include "controller/io/submit_runner.h"
#include "controller/io/trigger_runner.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

constexpr Milliseconds tick_interval{250};
constexpr Milliseconds refused_retry{1'000};
constexpr Milliseconds last_turn_patience{1'000};  // before it ends
constexpr int refusals_max = 3;
constexpr int exit_restart = -1;  // of run(): the program is to start anew
constexpr std::size_t frames_per_round_max = 1000;

// What the link has proven becomes who may speak for what. A key is the cluster owner's.
Caller caller_of(const PeerIdentity& identity, const ControllerConfig& config, bool from_worker) {
  Caller caller;
  caller.kind = from_worker ? Caller::Kind::Worker : Caller::Kind::Client;
  constexpr std::string_view worker_prefix = "worker-";
  if (identity.kind == PeerIdentity::Kind::Key) {
    const bool worker_key = identity.key_name.starts_with(worker_prefix);
    caller.kind = worker_key ? Caller::Kind::Worker : Caller::Kind::Client;
    if (worker_key) caller.node = identity.key_name.substr(worker_prefix.size());
    caller.uid = config.owner_uid;
    caller.gid = ::getegid();
    caller.by_key = true;
  } else {
    caller.uid = identity.uid;
    caller.gid = identity.gid;
    // Over ipc only the cluster's own user may be a worker.
    if (caller.uid != config.owner_uid) caller.kind = Caller::Kind::Client;
  }
  return caller;
}

bool is_worker_message(const Message& m) {
  return std::holds_alternative<WorkerHello>(m) || std::holds_alternative<Heartbeat>(m) ||
         std::holds_alternative<StatusReport>(m) || std::holds_alternative<CheckpointRemoved>(m);
}

// The database may come up after us: wait, and say so, again when the reason is another. What it
// then refuses stays refused. False: it is over.
bool wait_for_database(PgServers& servers, Poller& poller) {
  std::string said;
  Backoff backoff = connection_backoff();
  while (const auto trouble = database_trouble(servers)) {
    if (*trouble != said) log_warning("waiting for PostgreSQL message=" + quoted_value(*trouble));
    said = *trouble;
    poller.wait(backoff.failed());
    if (poller.asked_to_end()) return false;
  }
  return true;
}

// In an empty database there is no lease yet: the first controller to come makes the schema.
Failure ready_for_leaders(PgServers& servers) {
  const auto exists = schema_exists(servers);
  if (!exists) return exists.refusal();
  if (*exists) return std::nullopt;
  return migrate_schema(servers);
}

// `turn`: what the turns behind it hold.
void send_all(Listener& listener, std::vector<Outgoing> outgoing,
              const std::set<std::string>& turn) {
  if (outgoing.empty()) return;
  log_debug("sending messages=" + std::to_string(outgoing.size()));
  crash_point("controller.before_send", turn);
  // Several messages to one peer share a frame.
  std::map<PeerName, std::vector<Message>> by_peer;
  for (auto& o : outgoing) by_peer[o.peer].push_back(std::move(o.message));
  for (const auto& [peer, messages] : by_peer) listener.send(peer, messages);
  crash_point("controller.after_send", turn);
}

void log_remarks(std::vector<Remark> remarks) {
  std::vector<LogLine> lines;
  for (auto& remark : remarks)
    lines.push_back({remark.warning ? LogLevel::Warning : LogLevel::Info, std::move(remark.text)});
  log_all(lines);
}

// A controller of a cluster that may have others: it stands by until it leads, and stands by again
// when another one has taken the lead.
class Post {
 public:
  // path: of the settings file, which scontrol reconfigure reads again.
  Post(const std::string& path, const ControllerConfig& config, PgServers& servers,
       Listener& listener, Poller& poller, const LogSettingsFile& log_settings)
      : path_(path),
        config_(config),
        listener_(listener),
        poller_(poller),
        log_settings_(log_settings),
        servers_(servers),
        scouts_(servers),
        leadership_(servers, name_of(config), config.leader_lease),
        ahead_(servers, config.min_job_age),
        notifier_(config),
        fencer_(config),
        site_runner_(config),
        trigger_runner_(config),
        submit_runner_(config, poller),
        group_finder_(config, poller) {
    known_.next_job = next_job_by_folders(config.checkpoint_root);
    poller.add_fd(leadership_.fd(), POLLIN);
    poller.add_fd(ahead_.fd(), POLLIN);
    poller.add_fd(scouts_.fd(), POLLIN);
  }

  int hold() {
    while (stand_by()) {
      if (is_superseded_ && leadership_.since() == since_) {
        log_error(
            "superseded by a controller with the same name, or by an older database; it ends");
        return 1;
      }
      since_ = leadership_.since();
      is_superseded_ = false;
      auto store = PostgresStore::open(servers_, merged(known_, leadership_.known()));
      if (!store && may_pass(store.refusal().fact)) {
        log_warning("cannot lead as yet message=" + quoted_value(store.refusal().fact));
        continue;
      }
      if (!store) {
        log_error(store.refusal().fact + "; " + store.refusal().hint);
        leadership_.resign();
        return 1;
      }
      refusals_ = 0;
      // That may have taken longer than the lease.
      leadership_.doubt(read_clock().boot);
      if (stand_by() && leadership_.since() == since_) {
        log_info("about to lead jobs_known=" + std::to_string(ahead_.known()));
        (*store)->know(ahead_.take());
        lead(**store);
      }
      if (!is_over()) leadership_.doubt(read_clock().boot);
    }
    leadership_.resign();
    log_info(restarts_ ? "starts anew with the settings of its file" : "asked to end");
    return restarts_ ? exit_restart : 0;
  }

 private:
  // What the database refused may be the last word of a server that goes: look again, a while
  // later. All that arrives meanwhile is taken, or it would end each wait at once.
  bool may_pass(const std::string& refused) {
    const Boot until = read_clock().boot + refused_retry;
    for (Boot now = read_clock().boot; now < until && !is_over(); now = read_clock().boot) {
      scouts_.poll(now);
      leadership_.poll(now);
      look_ahead();
      refuse_all("", "it cannot lead as yet: " + refused);
      poller_.wait(until - now);
    }
    leadership_.doubt(read_clock().boot);
    if (is_over() || database_trouble(servers_)) return true;
    return ++refusals_ < refusals_max;
  }

  // The same each time it starts, and no other's: nobody else may listen there.
  static std::string name_of(const ControllerConfig& config) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    const bool local = !config.listen_local.empty();
    return std::string(host) + " " + (local ? config.listen_local : config.listen_tcp);
  }

  bool is_over() { return asked_to_end_ = asked_to_end_ || poller_.asked_to_end(); }

  void tell_promotion() {
    const std::int64_t before = std::exchange(timeline_, servers_.newest());
    if (before != 0 && before != timeline_)
      log_warning("a replica was promoted: its server is used from now on timeline=" +
                  std::to_string(timeline_));
  }

  // Until it leads; false: asked to end.
  bool stand_by() {
    std::string told;
    while (!is_over()) {
      if (poller_.asked_to_read_again()) log_settings_.read_again();
      const Boot now = read_clock().boot;
      scouts_.poll(now);
      if (scouts_.have_looked()) leadership_.poll(now);
      if (leadership_.leads()) return true;
      const Milliseconds next_look = look_ahead();
      tell_promotion();
      notifier_.turn();
      fencer_.turn(now);  // started while it led: what comes of it is logged, and no more
      site_runner_.turn(now);
      trigger_runner_.turn(now);
      submit_runner_.turn(now);
      tell_standing(told);
      if (leadership_.knows())  // else we may lead in a moment
        refuse_all(leadership_.holder(), leadership_.hindrance());
      poller_.wait(std::min({leadership_.next_in(now), scouts_.next_in(now), next_look}));
    }
    return false;
  }

  // So that less has to be read when it leads. When to look again.
  Milliseconds look_ahead() {
    const bool knows = leadership_.knows();
    const bool in_vain = leadership_.leads() || !leadership_.schema_is_ours();
    if (knows && in_vain) ahead_.close();
    if (ahead_.is_closed() && (!knows || in_vain)) return tick_interval;
    const Now now = read_clock();
    ahead_.poll(now);
    const bool is_ready = ahead_.known() > 0;
    if (is_ready && !was_ready_)
      log_info("has read the jobs ahead jobs=" + std::to_string(ahead_.known()));
    was_ready_ = is_ready;
    return ahead_.next_in(now.boot);
  }

  // Each word once.
  void tell_standing(std::string& told) {
    std::string word = leadership_.trouble().empty()
                           ? "standing by leader=" + quoted_value(leadership_.holder()) + hindered()
                           : "cannot ask who leads message=" + quoted_value(leadership_.trouble());
    if (told == word || (!leadership_.knows() && leadership_.trouble().empty())) return;
    if (leadership_.hindrance().empty())
      log_info(word);
    else
      log_warning(word);
    told = std::move(word);
  }

  std::string hindered() const {
    const std::string& why = leadership_.hindrance();
    return why.empty() ? "" : " cannot_lead=" + quoted_value(why);
  }

  void refuse_all(const std::string& leader, const std::string& hindrance) {
    for (const auto& incoming : listener_.receive(frames_per_round_max))
      listener_.send(incoming.peer, {NotLeader{leader, number_of(incoming.messages), hindrance}});
  }

  void lead(PostgresStore& store) {
    Controller controller(config_, store);
    poller_.add_fd(store.fd(), POLLIN);
    controller.start(read_clock());
    Boot next_tick = read_clock().boot;
    while (!controller.superseded() && leadership_.leads() && leadership_.since() == since_) {
      if (is_over()) break;
      if (poller_.asked_to_read_again()) log_settings_.read_again();
      const Now now = read_clock();
      if (now.boot >= next_tick) {
        controller.tick(now);
        next_tick = now.boot + tick_interval;
      }
      controller.set_sure(leadership_.is_sure(now.boot));
      scouts_.poll(now.boot);
      turn(controller, store);
      const std::int64_t timeline = servers_.newest();
      // In this order: that it has loaded makes its lease short again, before a first long turn.
      const bool begins = controller.ready() && leadership_.term() == Term{};
      note_term(controller.ready() ? controller.cluster().term() : Term{});
      if (begins) note_ids_after_failover(controller.cluster());
      leadership_.poll(read_clock().boot);
      auto wait = std::min(next_tick - read_clock().boot, leadership_.next_in(read_clock().boot));
      if (const auto retry = store.retry_in()) wait = std::min(wait, *retry);
      if (servers_.newest() != timeline) continue;  // the store's connections are to know at once
      tell_promotion();
      wait = std::min(wait, scouts_.next_in(read_clock().boot));
      poller_.wait(std::max(wait, Milliseconds{0}));
    }
    if (is_over()) end_in_order(controller, store);
    poller_.remove_fd(store.fd());
    submit_runner_.end_all();  // clients repeat them to the next leader
    group_finder_.drop_all();
    leadership_.set_term(Term{});
    is_superseded_ = controller.superseded() && !controller.database_regressed();
    controller.set_sure(leadership_.since() == since_ && leadership_.is_sure(read_clock().boot));
    known_ = merged(controller.known(), known_);
    if (!is_over())
      log_warning(controller.database_regressed()
                      ? "the database may have lost what was told to be true"
                      : "another controller leads");
  }

  // The turn in flight is told; whatever else has arrived is asked again elsewhere.
  void end_in_order(Controller& controller, PostgresStore& store) {
    const Boot end = read_clock().boot + last_turn_patience;
    while (controller.in_flight() && read_clock().boot < end) {
      controller.finish_turn(read_clock());
      give_out(controller, store);
      trigger_runner_.turn(read_clock().boot);  // starts the programs that the turn has committed
      if (!controller.in_flight()) break;
      pollfd look{store.fd(), POLLIN, 0};
      ::poll(&look, 1, static_cast<int>(tick_interval.count()));
    }
    const bool is_ready = controller.ready() && !controller.in_flight();
    if (is_ready && leadership_.is_sure(read_clock().boot))
      note_orderly_stop(servers_, controller.known());
  }

  void give_out(Controller& controller, PostgresStore& store) {
    log_remarks(controller.take_remarks());
    notifier_.take(controller.take_notices());
    fencer_.take(controller.take_fences());
    site_runner_.take(controller.take_site_runs());
    trigger_runner_.take(controller.take_trigger_runs());
    submit_runner_.take(controller.take_submit_runs());
    send_all(listener_, controller.take_outgoing(), store.take_committed_words());
  }

  void receive_all(Controller& controller) {
    for (auto& incoming : listener_.receive(frames_per_round_max)) {
      const std::size_t bytes = incoming.bytes / std::max<std::size_t>(incoming.messages.size(), 1);
      for (auto& message : incoming.messages) {
        Caller caller = caller_of(incoming.identity, config_, is_worker_message(message));
        const auto* request = std::get_if<Request>(&message);
        if (request != nullptr) caller.user_name = names_.of(caller.uid);
        const bool reads_settings = request != nullptr && caller.uid == config_.owner_uid &&
                                    std::holds_alternative<Reconfigure>(request->body);
        PeerMessage said{incoming.peer, std::move(caller), std::move(message), {}, bytes};
        if (reads_settings) said.wrong_settings = wrong_settings(path_);
        const Now now = read_clock();
        if (!group_finder_.takes(said, now.boot)) controller.receive(std::move(said), now);
      }
    }
  }

  void turn(Controller& controller, PostgresStore& store) {
    receive_all(controller);
    look_up_groups(controller);
    for (FenceEnded& ended : fencer_.turn(read_clock().boot))
      controller.fence_ended(std::move(ended));
    for (SiteRunEnded& ended : site_runner_.turn(read_clock().boot))
      controller.site_run_ended(std::move(ended));
    for (SubmitRunEnded& ended : submit_runner_.turn(read_clock().boot))
      controller.submit_run_ended(std::move(ended));
    trigger_runner_.turn(read_clock().boot);
    const auto began = std::chrono::steady_clock::now();
    controller.run(read_clock());
    controller.note_run(
        std::chrono::duration_cast<Microseconds>(std::chrono::steady_clock::now() - began));
    give_out(controller, store);
    if (controller.restart_asked()) restarts_ = asked_to_end_ = true;
  }

  void look_up_groups(Controller& controller) {
    const Now now = read_clock();
    group_finder_.look_up(controller.groups_wanted(), now.boot);
    GroupFinder::Ready ready = group_finder_.turn(now.boot);
    for (PeerMessage& said : ready.said) controller.receive(std::move(said), now);
    if (ready.found) controller.groups_found(std::move(*ready.found));
  }

  void note_term(Term term) {
    if (leadership_.term() == term) return;
    leadership_.set_term(term);
    if (term != Term{}) log_info("leading term=" + std::to_string(term.value));
  }

  // A database that is restored once more from the same backup shall not repeat the ids that it
  // issues from now on.
  void note_ids_after_failover(const Cluster& cluster) {
    if (cluster.failover() != nullptr) note_next_job(config_.checkpoint_root, cluster.next_job());
  }

  const std::string& path_;
  const ControllerConfig& config_;
  Listener& listener_;
  Poller& poller_;
  const LogSettingsFile& log_settings_;
  UserNames names_;
  PgServers& servers_;
  PgScouts scouts_;
  Leadership leadership_;
  StandbyJobReader ahead_;
  bool was_ready_ = false;  // it had read them
  Notifier notifier_;
  Fencer fencer_;
  SiteRunner site_runner_;
  TriggerRunner trigger_runner_;
  SubmitRunner submit_runner_;
  GroupFinder group_finder_;
  std::int64_t timeline_ = 0;  // that was told, or known at the start
  int refusals_ = 0;           // of a database that answers, in a row
  std::string since_;          // of the leadership that is led, or was last
  bool is_superseded_ = false;
  LastKnownState known_;  // by the end of what was led
  bool asked_to_end_ = false;
  bool restarts_ = false;  // when it has ended
};

int run(const std::string& config_given, const std::string& log_file, bool only_check_database) {
  auto path = find_config(config_given);
  auto config = path ? read_controller_config(*path) : Result<Config>(path.refusal());
  if (!config) {
    std::fprintf(stderr, "cox-controller: %s\n%s\n", config.refusal().fact.c_str(),
                 config.refusal().hint.c_str());
    return 2;
  }
  ControllerConfig& controller = config->controller;
  if (only_check_database) {
    std::fputs(check_database(controller.database).c_str(), stdout);
    return 0;
  }
  controller.owner_uid = ::geteuid();
  controller.time_zone = read_local_zone(read_clock().wall);
  ::umask(0077);
  open_log("controller", log_file, config->controller_log);
  limit_memory(controller.memory_limit_mb);
  auto poller = Poller::create(Poller::Hangup::ReadsAgain);
  Listener::Options options{controller.listen_local, false, controller.listen_tcp, {}, "", {}};
  options.connections_per_key = static_cast<std::size_t>(controller.connections_per_key);
  if (!controller.listen_tcp.empty()) {
    auto key = read_key_file(controller.key_dir + "/controller.key");
    if (!key) {
      log_error(key.refusal().fact + "; " + key.refusal().hint);
      return 1;
    }
    options.key = *key;
    options.key_dir = controller.key_dir;
    options.key_prefixes = {"worker-", "client"};
  }
  if (const Failure failure = mark_checkpoint_root(controller)) {
    log_error(failure->fact + "; " + failure->hint);
    return 1;
  }
  PgServers servers(controller.database);
  if (!wait_for_database(servers, *poller)) return 1;
  if (const Failure failure = ready_for_leaders(servers)) {
    log_error(failure->fact + "; " + failure->hint);
    return 1;
  }
  auto listener = Listener::open(options);
  if (!listener) {
    log_error(listener.refusal().fact + "; " + listener.refusal().hint);
    return 1;
  }
  (*listener)->add_to(*poller);
  log_info("listening local=" + quoted_value(controller.listen_local) +
           " tcp=" + quoted_value((*listener)->tcp_endpoint()));
  const LogSettingsFile log_settings(*path, &Config::controller_log);
  return Post(*path, controller, servers, **listener, *poller, log_settings).hold();
}

}  // namespace
}  // namespace cox

int main(int argc, char** argv) {
  CLI::App app("The controller of a Coxswain cluster: owns the truth, decides, dispatches.");
  std::string config;
  std::string log_file;
  app.add_option("--config", config, "the cluster's settings (coxswain.toml)");
  app.add_option("--log", log_file, "where to log; standard error by default");
  bool check = false;
  app.add_flag("--check-database", check, "say whether the database can be used, and end");
  app.set_version_flag("--version", "cox-controller " COX_VERSION);
  CLI11_PARSE(app, argc, argv);
  cox::raise_descriptor_limit();
  const int code = cox::run(config, log_file, check);
  return code == cox::exit_restart ? cox::replace_program(argv) : code;
}
