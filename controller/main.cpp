// cox-controller: builds the tree (configuration, link, leadership) and stands by until it leads;
// then builds the rest (store, controller) and turns the crank: wait, receive, run turns, send.
// What it does when is decided by controller/leader/leader_loop.h.
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
#include "controller/io/caller.h"
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
#include "controller/leader/leader_loop.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

constexpr Milliseconds last_turn_patience{1'000};  // before it ends
constexpr int exit_restart = -1;                   // of run(): the program is to start anew
constexpr std::size_t frames_per_round_max = 1000;

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

// A controller of a cluster that may have others. LeaderLoop decides when it stands by, leads and
// ends; this carries out its actions, and what is to be done in each state.
class LeaderHost {
 public:
  // path: of the settings file, which scontrol reconfigure reads again.
  LeaderHost(const std::string& path, const ControllerConfig& config, PgServers& servers,
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
        group_finder_(config, poller),
        loop_(known_by_folders(config)) {
    poller.add_fd(leadership_.fd(), POLLIN);
    poller.add_fd(ahead_.fd(), POLLIN);
    poller.add_fd(scouts_.fd(), POLLIN);
  }

  // Returns how the program ends.
  int hold() {
    while (!exit_code_) {
      if (is_over())
        on(LeaderLoop::EndAsked{restarts_});
      else if (controller_)
        lead();
      else if (loop_.wake_at())
        wait_refused();
      else
        stand_by();
    }
    return *exit_code_;
  }

 private:
  // ---- the actions of the leader loop

  void on(const LeaderLoop::Event& event) {
    const LeaderLoop::Actions actions = loop_.on(event, read_clock().boot);
    for (const LeaderLoop::Action& action : actions)
      std::visit([this](const auto& one) { carry_out(one); }, action);
  }

  void carry_out(const LeaderLoop::AskLease&) { leadership_.doubt(read_clock().boot); }

  void carry_out(const LeaderLoop::OpenStore& open) {
    auto store = PostgresStore::open(servers_, open.known);
    if (!store) return on(LeaderLoop::StoreRefused{store.refusal()});
    store_ = std::move(*store);
    on(LeaderLoop::StoreOpened{});
  }

  void carry_out(const LeaderLoop::CloseStore&) { store_.reset(); }

  void carry_out(const LeaderLoop::CheckDatabase&) {
    on(LeaderLoop::DatabaseChecked{database_trouble(servers_).has_value()});
  }

  void carry_out(const LeaderLoop::Start&) {
    log_info("about to lead jobs_known=" + std::to_string(ahead_.known()));
    store_->know(ahead_.take());
    controller_.emplace(config_, *store_);
    poller_.add_fd(store_->fd(), POLLIN);
    controller_->start(read_clock());
    next_tick_ = read_clock().boot;
  }

  void carry_out(const LeaderLoop::Stop& stop) {
    if (stop.in_order) end_in_order();
    poller_.remove_fd(store_->fd());
    submit_runner_.end_all();  // clients repeat them to the next leader
    group_finder_.drop_all();
    leadership_.set_term(Term{});
    controller_->set_sure(leadership_.since() == loop_.since() &&
                          leadership_.is_sure(read_clock().boot));
    const LeaderLoop::ControllerStopped stopped{
        controller_->superseded(), controller_->database_regressed(), controller_->known()};
    controller_.reset();
    store_.reset();
    on(stopped);
  }

  void carry_out(const LeaderLoop::RefuseAll& refuse) {
    for (const auto& incoming : listener_.receive(frames_per_round_max))
      listener_.send(incoming.peer,
                     {NotLeader{refuse.leader, number_of(incoming.messages), refuse.hindrance}});
  }

  void carry_out(const LeaderLoop::Resign&) { leadership_.resign(); }

  void carry_out(const LeaderLoop::Exit& exit) {
    exit_code_ = exit.restarts ? exit_restart : exit.failed ? 1 : 0;
  }

  void carry_out(const LeaderLoop::Log& line) {
    switch (line.level) {
      case LeaderLoop::Level::Info: return log_info(line.text);
      case LeaderLoop::Level::Warning: return log_warning(line.text);
      case LeaderLoop::Level::Error: return log_error(line.text);
    }
  }

  LeaderLoop::LeaseAnswer lease_answer() const {
    return {leadership_.leads(),  leadership_.knows(),     leadership_.since(),
            leadership_.holder(), leadership_.hindrance(), leadership_.trouble(),
            leadership_.known()};
  }

  static LastKnownState known_by_folders(const ControllerConfig& config) {
    LastKnownState known;
    known.next_job = next_job_by_folders(config.checkpoint_root);
    return known;
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

  // ---- what it does in each state

  // One round without a controller.
  void stand_by() {
    if (poller_.asked_to_read_again()) log_settings_.read_again();
    const Boot now = read_clock().boot;
    scouts_.poll(now);
    if (scouts_.have_looked()) leadership_.poll(now);
    if (leadership_.leads()) return on(lease_answer());
    const Milliseconds next_look = look_ahead();
    tell_promotion();
    notifier_.turn();
    fencer_.turn(now);  // started while it led: what comes of it is logged, and no more
    site_runner_.turn(now);
    trigger_runner_.turn(now);
    submit_runner_.turn(now);
    group_finder_.turn(now);  // what it finds for nobody is passed over
    on(lease_answer());
    poller_.wait(std::min({leadership_.next_in(now), scouts_.next_in(now), next_look}));
  }

  // One round after the database has refused to be opened. All that has arrived is taken, because
  // it would end each wait at once.
  void wait_refused() {
    const Boot now = read_clock().boot;
    scouts_.poll(now);
    leadership_.poll(now);
    look_ahead();
    group_finder_.turn(now);
    on(lease_answer());
    if (const auto until = loop_.wake_at()) poller_.wait(*until - now);
  }

  // So that less has to be read when it leads. When to look again.
  Milliseconds look_ahead() {
    const bool knows = leadership_.knows();
    const bool in_vain = leadership_.leads() || !leadership_.schema_is_ours();
    if (knows && in_vain) ahead_.close();
    if (ahead_.is_closed() && (!knows || in_vain)) return leader_tick;
    const Now now = read_clock();
    ahead_.poll(now);
    const bool is_ready = ahead_.known() > 0;
    if (is_ready && !was_ready_)
      log_info("has read the jobs ahead jobs=" + std::to_string(ahead_.known()));
    was_ready_ = is_ready;
    return ahead_.next_in(now.boot);
  }

  // One round with a controller.
  void lead() {
    on(LeaderLoop::ControllerStatus{controller_->superseded()});
    if (controller_) on(lease_answer());
    if (!controller_) return;
    if (poller_.asked_to_read_again()) log_settings_.read_again();
    const Now now = read_clock();
    if (now.boot >= next_tick_) {
      controller_->tick(now);
      next_tick_ = now.boot + leader_tick;
    }
    controller_->set_sure(leadership_.is_sure(now.boot));
    scouts_.poll(now.boot);
    turn();
    const std::int64_t timeline = servers_.newest();
    // In this order: that it has loaded makes its lease short again, before a first long turn.
    const bool begins = controller_->ready() && leadership_.term() == Term{};
    note_term(controller_->ready() ? controller_->cluster().term() : Term{});
    if (begins) note_ids_after_failover(controller_->cluster());
    leadership_.poll(read_clock().boot);
    auto wait = std::min(next_tick_ - read_clock().boot, leadership_.next_in(read_clock().boot));
    if (const auto retry = store_->retry_in()) wait = std::min(wait, *retry);
    if (servers_.newest() != timeline) return;  // the store's connections are to know at once
    tell_promotion();
    wait = std::min(wait, scouts_.next_in(read_clock().boot));
    poller_.wait(std::max(wait, Milliseconds{0}));
  }

  // The turn in flight is told; whatever else has arrived is asked again elsewhere.
  void end_in_order() {
    const Boot end = read_clock().boot + last_turn_patience;
    trigger_runner_.turn(read_clock().boot);
    while (controller_->in_flight() && read_clock().boot < end) {
      controller_->finish_turn(read_clock());
      give_out();
      trigger_runner_.turn(read_clock().boot);  // starts the programs that the turn has committed
      if (!controller_->in_flight()) break;
      pollfd look{store_->fd(), POLLIN, 0};
      ::poll(&look, 1, static_cast<int>(leader_tick.count()));
    }
    const bool is_ready = controller_->ready() && !controller_->in_flight();
    if (is_ready && leadership_.is_sure(read_clock().boot))
      note_orderly_stop(servers_, controller_->known());
  }

  void give_out() {
    log_remarks(controller_->take_remarks());
    notifier_.take(controller_->take_notices());
    fencer_.take(controller_->take_fences());
    site_runner_.take(controller_->take_site_runs());
    trigger_runner_.take(controller_->take_trigger_runs());
    submit_runner_.take(controller_->take_submit_runs());
    send_all(listener_, controller_->take_outgoing(), store_->take_committed_words());
  }

  void receive_all() {
    for (auto& incoming : listener_.receive(frames_per_round_max)) {
      const std::size_t bytes = incoming.bytes / std::max<std::size_t>(incoming.messages.size(), 1);
      for (auto& message : incoming.messages) {
        Caller caller = caller_of(incoming.identity, config_, message);
        const auto* request = std::get_if<Request>(&message);
        if (request != nullptr) caller.user_name = names_.of(caller.uid);
        const bool reads_settings = request != nullptr && caller.uid == config_.owner_uid &&
                                    std::holds_alternative<Reconfigure>(request->body);
        PeerMessage said{incoming.peer, std::move(caller), std::move(message), {}, bytes};
        if (reads_settings) said.wrong_settings = wrong_settings(path_);
        const Now now = read_clock();
        if (!group_finder_.takes(said, now.boot)) controller_->receive(std::move(said), now);
      }
    }
  }

  void turn() {
    receive_all();
    look_up_groups();
    for (FenceEnded& ended : fencer_.turn(read_clock().boot))
      controller_->fence_ended(std::move(ended));
    for (SiteRunEnded& ended : site_runner_.turn(read_clock().boot))
      controller_->site_run_ended(std::move(ended));
    for (SubmitRunEnded& ended : submit_runner_.turn(read_clock().boot))
      controller_->submit_run_ended(std::move(ended));
    trigger_runner_.turn(read_clock().boot);
    const auto began = std::chrono::steady_clock::now();
    controller_->run(read_clock());
    controller_->note_run(
        std::chrono::duration_cast<Microseconds>(std::chrono::steady_clock::now() - began));
    give_out();
    if (controller_->restart_asked()) restarts_ = asked_to_end_ = true;
  }

  void look_up_groups() {
    const Now now = read_clock();
    group_finder_.look_up(controller_->groups_wanted(), now.boot);
    GroupFinder::Ready ready = group_finder_.turn(now.boot);
    for (PeerMessage& said : ready.said) controller_->receive(std::move(said), now);
    if (ready.found) controller_->groups_found(std::move(*ready.found));
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
  LeaderLoop loop_;
  std::unique_ptr<PostgresStore>
      store_;  // null: it is not open. It is open before it leads, too (Confirming)
  std::optional<Controller> controller_;  // none: it does not lead
  Boot next_tick_{};
  bool asked_to_end_ = false;
  bool restarts_ = false;         // end, and start the program anew
  std::optional<int> exit_code_;  // it has ended
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
  return LeaderHost(*path, controller, servers, **listener, *poller, log_settings).hold();
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
