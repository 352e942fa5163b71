#include "controller/io/leader_host.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/base/log_line.h"
#include "common/io/clock.h"
#include "common/io/crash_point.h"
#include "common/io/log.h"
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
#include "controller/io/records/postgres_store.h"
#include "controller/io/records/standby_job_reader.h"
#include "controller/io/records/user_names.h"
#include "controller/io/restart.h"
#include "controller/io/site_runner.h"
#include "controller/io/start_trial.h"
#include "controller/io/submit_runner.h"
#include "controller/io/trigger_runner.h"
#include "controller/leader/leader_loop.h"
#include "controller/turn/controller.h"

namespace cox {
namespace {

// At an orderly end, how long to wait for the turn in flight.
constexpr Milliseconds last_turn_patience{1'000};
constexpr std::size_t frames_per_round_max = 1000;
// At the end, how long no message must arrive before the listener closes, and how long to wait for
// that at most. A client that was refused sends its request again after a longer time.
constexpr Milliseconds last_message_quiet{100};
constexpr Milliseconds last_message_patience{500};

// Sends the messages of a turn. `turn`: words that name the turn's changes (turn_words.h); a test
// may let the program crash at such a turn.
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

// Replies that the message was not carried out. A client then sends it again, to the next leader.
void turn_away(Listener& listener, const PeerName& peer, const std::vector<Message>& messages) {
  listener.send(peer, {NotLeader{"", number_of(messages), ""}});
}

// Turns away the messages that arrive until the listener closes. A message that is not read would
// be lost, and a client must not repeat a change whose outcome it does not know.
void turn_last_away(const ControllerConfig& config, Listener& listener) {
  // Clients that connect from now on wait until the next program listens there.
  constexpr std::string_view scheme = "ipc://";
  if (!config.listen_local.empty()) ::unlink(config.listen_local.c_str() + scheme.size());
  const Boot end = read_clock().boot + last_message_patience;
  Boot quiet_until = read_clock().boot + last_message_quiet;
  while (read_clock().boot < std::min(quiet_until, end)) {
    const auto arrived = listener.receive(frames_per_round_max);
    for (const auto& incoming : arrived) turn_away(listener, incoming.peer, incoming.messages);
    if (!arrived.empty()) quiet_until = read_clock().boot + last_message_quiet;
    ::poll(nullptr, 0, 5);
  }
}

// Runs one of the controllers of a cluster. LeaderLoop decides when it stands by, leads and ends;
// this class carries out the loop's actions, and does the work of each state.
class LeaderHost {
 public:
  // `path`: of the settings file, which scontrol reconfigure checks.
  LeaderHost(const std::string& path, const ControllerConfig& config, PgServers& servers,
             Listener& listener, Poller& poller, const LogSettingsFile& log_settings)
      : config_(config),
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
        start_trial_(own_program(), path, config, poller),
        loop_(known_by_folders(config)) {
    poller.add_fd(leadership_.fd(), POLLIN);
    poller.add_fd(ahead_.fd(), POLLIN);
    poller.add_fd(scouts_.fd(), POLLIN);
  }

  // Runs until the program ends. Returns the exit code of the program.
  int hold() {
    while (!exit_code_) {
      former_programs_.collect();
      if (is_over())
        on(LeaderLoop::EndRequested{restarts_});
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
    controller_->know_time_of_day(time_of_day_);
    poller_.add_fd(store_->fd(), POLLIN);
    controller_->start(read_clock());
    next_tick_ = read_clock().boot;
  }

  void carry_out(const LeaderLoop::Stop& stop) {
    if (stop.in_order) end_in_order();
    poller_.remove_fd(store_->fd());
    // No turn has taken these requests.
    const auto waiting_requests = controller_->take_waiting_requests();
    const auto held = group_finder_.drop_all();
    const auto unchecked = start_trial_.drop_all();
    submit_runner_.end_all();  // clients repeat their submissions to the next leader
    for (auto* waiting : {&waiting_requests, &held, &unchecked})
      for (const PeerMessage& one : *waiting) turn_away(listener_, one.peer, {one.message});
    leadership_.set_term(Term{});
    controller_->set_sure(leadership_.since() == loop_.since() &&
                          leadership_.is_sure(read_clock().boot));
    const LeaderLoop::ControllerStopped stopped{
        controller_->superseded(), controller_->database_regressed(), controller_->known()};
    time_of_day_ = controller_->cluster().soft().time_of_day;
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
    exit_code_ = exit.restarts ? exit_to_restart : exit.failed ? 1 : 0;
  }

  void carry_out(const LeaderLoop::Log& line) {
    switch (line.level) {
      case LeaderLoop::Level::Info: return log_info(line.text);
      case LeaderLoop::Level::Warning: return log_warning(line.text);
      case LeaderLoop::Level::Error: return log_error(line.text);
    }
  }

  LeaderLoop::LeaseAnswer lease_answer() const {
    return {leadership_.leads(),  leadership_.has_answer(), leadership_.since(),
            leadership_.holder(), leadership_.hindrance(),  leadership_.trouble(),
            leadership_.known()};
  }

  static LastKnownState known_by_folders(const ControllerConfig& config) {
    LastKnownState known;
    known.next_job = next_job_by_folders(config.checkpoint_root);
    return known;
  }

  // Returns the name of this controller in cox.leadership. It is the same at each start, and no
  // other controller has it, since only one program can listen at the endpoint that it is made
  // from.
  static std::string name_of(const ControllerConfig& config) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    const bool local = !config.listen_local.empty();
    return std::string(host) + " " + (local ? config.listen_local : config.listen_tcp);
  }

  bool is_over() { return asked_to_end_ = asked_to_end_ || poller_.is_end_requested(); }

  void log_promotion() {
    const std::int64_t before = std::exchange(timeline_, servers_.newest());
    if (before != 0 && before != timeline_)
      log_warning("a replica was promoted: its server is used from now on timeline=" +
                  std::to_string(timeline_));
  }

  // ---- the states of the program

  // Does one round while another controller leads.
  void stand_by() {
    if (poller_.is_reload_requested()) log_settings_.read_again();
    const Boot now = read_clock().boot;
    scouts_.poll(now);
    if (scouts_.have_looked()) leadership_.poll(now);
    if (leadership_.leads()) return on(lease_answer());
    const Milliseconds next_look = look_ahead();
    log_promotion();
    notifier_.turn();
    // These programs were started while this controller led; their results are only logged.
    fencer_.turn(now);
    site_runner_.turn(now);
    trigger_runner_.turn(now);
    submit_runner_.turn(now);
    group_finder_.turn(now);  // drops the results
    on(lease_answer());
    poller_.wait(std::min({leadership_.next_in(now), scouts_.next_in(now), next_look}));
  }

  // Does one round after the database has refused to be opened. Also receives all messages, because
  // a message that is not read would end each wait at once.
  void wait_refused() {
    const Boot now = read_clock().boot;
    scouts_.poll(now);
    leadership_.poll(now);
    look_ahead();
    group_finder_.turn(now);
    on(lease_answer());
    if (const auto until = loop_.wake_at()) poller_.wait(*until - now);
  }

  // Reads jobs ahead while another controller leads, so that a takeover reads less. Returns the
  // time until the next call.
  Milliseconds look_ahead() {
    const bool has_answer = leadership_.has_answer();
    const bool in_vain = leadership_.leads() || !leadership_.schema_is_ours();
    if (has_answer && in_vain) ahead_.close();
    if (ahead_.is_closed() && (!has_answer || in_vain)) return leader_tick;
    const Now now = read_clock();
    ahead_.poll(now);
    const bool is_ready = ahead_.known() > 0;
    if (is_ready && !was_ready_)
      log_info("has read the jobs ahead jobs=" + std::to_string(ahead_.known()));
    was_ready_ = is_ready;
    return ahead_.next_in(now.boot);
  }

  // Does one round while this controller leads.
  void lead() {
    on(LeaderLoop::ControllerStatus{controller_->superseded()});
    if (controller_) on(lease_answer());
    if (!controller_) return;
    if (poller_.is_reload_requested()) log_settings_.read_again();
    const Now now = read_clock();
    if (now.boot >= next_tick_) {
      controller_->tick(now);
      next_tick_ = now.boot + leader_tick;
    }
    controller_->set_sure(leadership_.is_sure(now.boot));
    scouts_.poll(now.boot);
    turn();
    const std::int64_t timeline = servers_.newest();
    // The term is set before the lease is renewed: with a term the lease is short again, and the
    // renewal must come before a first long turn.
    const bool begins = controller_->ready() && leadership_.term() == Term{};
    note_term(controller_->ready() ? controller_->cluster().term() : Term{});
    if (begins) note_ids_after_failover(controller_->cluster());
    leadership_.poll(read_clock().boot);
    if (const auto& time = leadership_.server_time())
      controller_->database_time(time->theirs, time->ours);
    auto wait = std::min(next_tick_ - read_clock().boot, leadership_.next_in(read_clock().boot));
    if (const auto retry = store_->retry_in()) wait = std::min(wait, *retry);
    // A promotion was noticed, so the store must check its connections at once.
    if (servers_.newest() != timeline) return;
    log_promotion();
    wait = std::min(wait, scouts_.next_in(read_clock().boot));
    if (begins) wait = Milliseconds{0};  // the next round looks up the groups of its partitions
    poller_.wait(std::max(wait, Milliseconds{0}));
  }

  // Finishes the turn in flight and sends its messages. Clients repeat all other requests to the
  // next leader.
  void end_in_order() {
    const Boot end = read_clock().boot + last_turn_patience;
    trigger_runner_.turn(read_clock().boot);
    while (controller_->in_flight() && read_clock().boot < end) {
      controller_->finish_turn(read_clock());
      dispatch_effects();
      // Starts programs of event triggers that the turn has requested.
      trigger_runner_.turn(read_clock().boot);
      if (!controller_->in_flight()) break;
      pollfd look{store_->fd(), POLLIN, 0};
      ::poll(&look, 1, static_cast<int>(leader_tick.count()));
    }
    const bool is_ready = controller_->ready() && !controller_->in_flight();
    if (is_ready && leadership_.is_sure(read_clock().boot))
      note_orderly_stop(servers_, controller_->known());
  }

  void dispatch_effects() {
    log_all(controller_->take<LogLine>());
    notifier_.take(controller_->take<Notice>());
    fencer_.take(controller_->take<FenceOrder>());
    site_runner_.take(controller_->take<SiteRun>());
    trigger_runner_.take(controller_->take<TriggerRun>());
    submit_runner_.take(controller_->take<SubmitRun>());
    send_all(listener_, controller_->take<Outgoing>(), store_->take_committed_names());
  }

  void receive_all() {
    for (auto& incoming : listener_.receive(frames_per_round_max)) {
      const std::size_t bytes = incoming.bytes / std::max<std::size_t>(incoming.messages.size(), 1);
      for (auto& message : incoming.messages) {
        Caller caller = caller_of(incoming.identity, config_, message);
        const auto* request = std::get_if<Request>(&message);
        if (request != nullptr) caller.user_name = names_.of(caller.uid);
        PeerMessage peer_message{incoming.peer, std::move(caller), std::move(message), {}, bytes};
        const Now now = read_clock();
        if (!group_finder_.takes(peer_message, now.boot) &&
            !start_trial_.takes(peer_message, leadership_.term(), now.boot))
          controller_->receive(std::move(peer_message), now);
      }
    }
  }

  void turn() {
    look_up_groups();
    receive_all();
    for (PeerMessage& checked : start_trial_.turn(read_clock().boot))
      controller_->receive(std::move(checked), read_clock());
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
    dispatch_effects();
    if (controller_->restart_asked()) restarts_ = asked_to_end_ = true;
  }

  void look_up_groups() {
    const Now now = read_clock();
    group_finder_.look_up(controller_->unknown_groups(), controller_->ready(), now.boot);
    GroupFinder::Ready ready = group_finder_.turn(now.boot);
    for (PeerMessage& peer_message : ready.incoming)
      controller_->receive(std::move(peer_message), now);
    if (ready.found) controller_->groups_found(std::move(*ready.found));
  }

  void note_term(Term term) {
    if (leadership_.term() == term) return;
    leadership_.set_term(term);
    if (term != Term{}) log_info("leading term=" + std::to_string(term.value));
  }

  // Records the next job id in the checkpoint folder, outside of the database. If the database is
  // restored once more from the same backup, ids issued from now on are not issued again.
  void note_ids_after_failover(const Cluster& cluster) {
    if (cluster.failover() != nullptr)
      note_next_job(config_.checkpoint_root, cluster.jobs().next_id());
  }

  FormerPrograms former_programs_;  // the first member: others start processes
  const ControllerConfig& config_;
  Listener& listener_;
  Poller& poller_;
  const LogSettingsFile& log_settings_;
  UserNames names_;
  PgServers& servers_;
  PgScouts scouts_;
  Leadership leadership_;
  StandbyJobReader ahead_;
  bool was_ready_ = false;  // in the last round, ahead_ had read jobs
  Notifier notifier_;
  Fencer fencer_;
  SiteRunner site_runner_;
  TriggerRunner trigger_runner_;
  SubmitRunner submit_runner_;
  GroupFinder group_finder_;
  StartTrial start_trial_;
  // The newest PostgreSQL timeline that was logged, or that was there at the start.
  std::int64_t timeline_ = 0;
  LeaderLoop loop_;
  std::unique_ptr<PostgresStore>
      // Null: not open. It is open while this controller leads, and before that in state
      // Confirming.
      store_;
  std::optional<Controller> controller_;  // empty: this controller does not lead
  TimeOfDay time_of_day_;                 // of the last leadership
  Boot next_tick_{};
  bool asked_to_end_ = false;
  bool restarts_ = false;         // the program restarts when it ends
  std::optional<int> exit_code_;  // empty: the program runs on
};

}  // namespace

int host_leader(const std::string& path, const ControllerConfig& config, PgServers& servers,
                Listener& listener, Poller& poller, const LogSettingsFile& log_settings) {
  const int code = LeaderHost(path, config, servers, listener, poller, log_settings).hold();
  turn_last_away(config, listener);
  return code;
}

}  // namespace cox
