#include "controller/turn/controller.h"

#include <algorithm>
#include <iterator>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/log_line.h"
#include "common/base/text.h"
#include "controller/accounting/administer.h"
#include "controller/admit/dependencies.h"
#include "controller/attempt/launch.h"
#include "controller/attempt/react_silence.h"
#include "controller/attempt/react_worker.h"
#include "controller/attempt/steps.h"
#include "controller/ledger/event_triggers.h"
#include "controller/ledger/site_runs.h"
#include "controller/limits/hours.h"
#include "controller/operate/react.h"
#include "controller/operate/submit.h"
#include "controller/scheduling/enact.h"
#include "controller/scheduling/update_dependants.h"
#include "controller/scheduling/waits.h"
#include "controller/turn/blobs.h"
#include "controller/turn/tick.h"

namespace cox {
namespace {

// Shortest time between two writes of pending reasons.
constexpr Milliseconds waits_interval{5'000};
// Interval at which QOS are read from the database again.
constexpr Milliseconds qos_interval{2'000};
// Interval at which new requests by SQL (cox.request) are read.
constexpr Milliseconds requests_interval{500};

// Returns which node or job an event is about, as a prefix of a log line: "job=17 ".
std::string subject_of(const Event& event) {
  const auto* incoming = std::get_if<PeerMessage>(&event);
  if (incoming == nullptr) return "";
  if (const auto* report = std::get_if<StatusReport>(&incoming->message))
    return about(report->status.key) + "node=" + report->node + " ";
  const auto* request = std::get_if<Request>(&incoming->message);
  const auto* act = request == nullptr ? nullptr : std::get_if<ActOnJobs>(&request->body);
  if (act == nullptr || act->ids.empty()) return "";
  return "job=" + std::to_string(act->ids.front().value) + " ";
}

// Returns whether a read in progress may return rows that this change has made out of date.
bool outdates_reads(const Change& change) {
  return std::holds_alternative<QosPut>(change) || std::holds_alternative<QosRemoved>(change) ||
         std::holds_alternative<RequestAnswered>(change);
}

std::vector<LogLine> log_of(const std::vector<Change>& changes) {
  std::vector<LogLine> lines;
  for (const auto& change : changes) {
    if (const auto* news = std::get_if<FailoverChanged>(&change)) {
      const Failover& failover = news->failover;
      const bool is_over = failover.settled != Wall{};
      lines.push_back({is_over ? LogLevel::Info : LogLevel::Warning,
                       std::string(is_over ? "jobs start again after the failover "
                                           : "a node runs an attempt that a failover has lost ") +
                           failover_text(failover)});
      continue;
    }
    if (const auto* of_node = std::get_if<NodeEventAdded>(&change)) {
      const NodeEvent& e = of_node->event;
      lines.push_back({LogLevel::Info, "node=" + e.node + " what=" + quoted_value(e.what) +
                                           " why=" + quoted_value(e.why) +
                                           " by=" + quoted_value(e.actor)});
      continue;
    }
    const auto* added = std::get_if<EventAdded>(&change);
    if (added == nullptr) continue;
    const JobEvent& e = added->event;
    lines.push_back({LogLevel::Info, about({e.job, e.attempt}) + "what=" + e.what +
                                         " state=" + std::string(name(e.state)) + " why=" +
                                         quoted_value(e.why) + " by=" + quoted_value(e.actor)});
  }
  return lines;
}

}  // namespace

Controller::Controller(ControllerConfig config, Store& store)
    : cluster_(std::move(config)),
      store_(store),
      qos_read_(qos_interval),
      requests_read_(requests_interval) {}

void Controller::start(Now now) {
  CHECK(state_ == State::New);
  cluster_.soft().turn_statistics.since = now.wall;
  cluster_.soft().time_of_day.note(now);
  state_ = State::Loading;
  store_.load(true, now.wall - cluster_.config().min_job_age);
}

void Controller::receive(PeerMessage incoming, Now now) {
  if (state_ == State::Superseded) return;
  if (const auto* beat = std::get_if<Heartbeat>(&incoming.message)) {
    const bool may = incoming.caller.kind == Caller::Kind::Worker &&
                     (incoming.caller.node.empty() || incoming.caller.node == beat->node);
    // Heartbeats are acknowledged even while memory is loaded again, which takes long if the
    // database is away.
    if (!may || cluster_.term() == Term{}) return;
    // The acknowledgement does not wait for a commit, since it only renews a lease.
    if (auto ack = heartbeat_ack(cluster_, cluster_.soft(), *beat, now.boot)) {
      ack->unsure = !sure_;
      effects_.messages.push_back({incoming.peer, *ack});
    }
  }
  const auto* request = std::get_if<Request>(&incoming.message);
  if (request != nullptr && incoming.caller.kind == Caller::Kind::Client &&
      !takes_request(incoming, *request, now))
    return;
  // Workers repeat their messages until they are acknowledged, so these need not be queued while
  // the database is away.
  if (outage_.is_on() && incoming.caller.kind == Caller::Kind::Worker) return;
  if (queue_.has_room(incoming)) queue_.put(std::move(incoming));
}

void Controller::run(Now now) {
  ran_at_ = now.boot;
  for (auto& event : store_.poll()) on_store(std::move(event), now);
  settle_while_away(now);
  ask_what_is_due(now);
  while (turn(now)) {
    for (auto& event : store_.poll()) on_store(std::move(event), now);
    settle_while_away(now);
  }
}

void Controller::verify() const {
  cluster_.verify();
  feed_.verify();
}

void Controller::finish_turn(Now now) {
  for (auto& event : store_.poll()) on_store(std::move(event), now);
}

void Controller::tick(Now now) {
  tick_due_ = true;
  if (cluster_.soft().database_refusal.is_retry_due(now.boot)) pass_.ask();
}

std::vector<PeerMessage> Controller::take_waiting_requests() {
  const auto is_request = [](const Event& event) {
    const auto* incoming = std::get_if<PeerMessage>(&event);
    return incoming != nullptr && incoming->caller.kind == Caller::Kind::Client &&
           std::holds_alternative<Request>(incoming->message);
  };
  std::vector<PeerMessage> requests;
  for (Event& event : queue_.take_if(is_request))
    requests.push_back(std::move(std::get<PeerMessage>(event)));
  return requests;
}

void Controller::note_run(Microseconds took) {
  if (const auto pass_took = pass_.note_turn(took))
    cluster_.soft().turn_statistics.passes.add(*pass_took);
}

void Controller::set_sure(bool sure) {
  sure_ = sure;
  last_commit_.nobody_led_since = last_commit_.nobody_led_since && sure;
}

// Takes the events of the new turn. After a rejected turn these are its events, one for each turn;
// otherwise what has arrived.
void Controller::begin_turn() {
  cluster_.soft().turn_statistics.events_waiting = static_cast<std::int64_t>(queue_.size());
  turn_ = {};
  if (!replay_.empty()) {
    turn_.is_replay = true;
    turn_.events.push_back(std::move(replay_.front()));
    replay_.pop_front();
    return;
  }
  turn_.events = queue_.take(limits::turn_events_max, limits::turn_work_max);
  if (std::exchange(tick_due_, false)) turn_.events.emplace_back(Tick{});
}

void Controller::react_to(Reaction& r, const Event& event) {
  if (const auto* incoming = std::get_if<PeerMessage>(&event)) {
    react(r, *incoming);
  } else if (const auto* asked = std::get_if<SqlRequest>(&event)) {
    on_sql_request(r, *asked);
  } else if (const auto* fence = std::get_if<FenceEnded>(&event)) {
    on_fence_ended(r, *fence);
  } else if (const auto* run = std::get_if<SiteRunEnded>(&event)) {
    on_site_run_ended(r, *run);
  } else if (const auto* found = std::get_if<GroupsFound>(&event)) {
    r.know_groups(found->groups);
  } else {
    on_tick(r);
  }
}

// Returns whether the turn must check the dependencies of some job.
bool Controller::has_due_dependants() const {
  const Eligibility& eligibility = cluster_.eligibility();
  return !idle_turn_rejected_ &&
         (eligibility.dependants().due().has_value() || !eligibility.hopeless_unrecorded().empty());
}

bool Controller::turn(Now now) {
  if (state_ != State::Ready) return false;
  const bool pass_due = pass_.is_wanted() && cluster_.failover() == nullptr;
  if (replay_.empty() && queue_.empty() && !tick_due_ && !pass_due && !has_due_dependants())
    return false;
  begin_turn();
  Reaction r(cluster_, feed_, now);
  pull_triggers_of_leadership(r);
  for (const Event& event : turn_.events) react_to(r, event);
  warn_of_missing_history();
  if (r.newer_term) {
    step_down(*r.newer_term);
    return true;
  }
  if (!turn_.events.empty()) idle_turn_rejected_ = false;
  if (!turn_.is_replay && !idle_turn_rejected_) update_dependants(r);
  pass_.ask_by_time(now.boot);
  if (r.scheduling()) pass_.ask();
  if (!turn_.is_replay) {
    if (pass_.is_wanted() && cluster_.failover() == nullptr) run_pass(r, now);
    keep_waits_if_due(r, now);
  }
  pull_triggers(r);
  finish(r, now);
  return true;
}

void Controller::run_pass(Reaction& r, Now now) {
  // Checked in each part of a pass, since named hours may have opened or closed since the last
  // part. Then another pass considers again the jobs that this one has already decided.
  const bool hours_turned = cluster_.settle_hours(now);
  if (pass_.begin_part(now.boot))
    feed_.settle_fair_shares(now);
  else if (hours_turned)
    pass_.ask();
  const bool is_last = run_pass_part(r);
  pass_.end_part(is_last, is_last ? feed_.engine(now).next_change(now) : std::nullopt);
}

void Controller::warn_of_missing_history() {
  const std::string& history = cluster_.soft().missing_history;
  if (history.empty() || std::exchange(is_history_missed_, true)) return;
  effects_.warn("the database " + history + " hint=" +
                quoted_value("if `database` in [controller] names another one than the cluster's, "
                             "correct it; the leases of running jobs are not renewed meanwhile"));
}

void Controller::step_down(Term newer) {
  newer_ = newer;
  last_commit_.nobody_led_since = false;
  on(Superseded{"a worker has obeyed term " + std::to_string(newer.value) + ", ours is " +
                    std::to_string(cluster_.term().value),
                true},
     {});
}

void Controller::keep_waits_if_due(Reaction& r, Now now) {
  if (cluster_.jobs().unfinished().size() == cluster_.jobs().live().size()) return;
  if (now.boot - waits_kept_.at < waits_interval) return;
  const bool is_fresh = cluster_.soft().reasons_made_at >= 0;
  if (is_fresh && cluster_.changes_applied() == waits_kept_.changes) return;
  waits_kept_.at = now.boot;
  explain_pending_jobs(r, std::nullopt);
  waits_kept_.changes = keep_waits(r) ? cluster_.changes_applied() : -1;
}

void Controller::finish(Reaction& r, Now now) {
  auto wanted = blobs_wanted(r.outgoing);
  HeldBack& held = turn_.held_back;
  held.effects = {std::move(r.outgoing),
                  log_of(r.changes),
                  notices_of(r.changes, cluster_, now.wall),
                  std::move(r.fences),
                  std::move(r.site_runs),
                  std::move(r.trigger_runs),
                  {},
                  r.restarts};
  held.waiters = std::move(r.waiters);
  held.followers = std::move(r.followers);
  held.events = events_of(r.changes, cluster_);
  held.reads = std::move(r.reads);
  held.verdicts = std::move(r.verdicts);
  held.counted.count(r.changes);
  for (Notice& each : time_notices_.due(cluster_, now)) effects_.notices.push_back(std::move(each));
  if (r.changes.empty() && wanted.empty()) return release({}, now);
  if (std::ranges::any_of(r.changes, outdates_reads)) {
    qos_read_.forget();
    requests_read_.forget();
  }
  state_ = State::InFlight;
  turn_.kinds = DatabaseRefusal::kinds_of(r.changes);
  outage_.note_unrecorded(r.changes);
  store_.commit({cluster_.term(), TurnNumber{last_commit_.number.value + 1}, now.wall,
                 std::move(r.changes), std::move(wanted)});
}

// Releases the effects of the turn, which is committed now: its messages, mail and programs.
void Controller::release(const std::vector<Blob>& blobs, Now now) {
  HeldBack held = std::move(turn_.held_back);
  drop_turn();
  cluster_.soft().turn_statistics.add(held.counted);
  for (Outgoing& message : held.effects.messages) fill_in(message, blobs);
  effects_.add(std::move(held.effects));
  waiting_.add(std::move(held.waiters), effects_);
  reads_.ask(waiting_.answer_waiters(cluster_, now, effects_), effects_);
  waiting_.add(std::move(held.events));
  waiting_.add(std::move(held.followers), effects_);
  waiting_.answer_followers(cluster_.term(), now, effects_);
  reads_.ask(std::move(held.reads), effects_);
  for (WantedVerdict& one : held.verdicts)
    verdicts_.ask(std::move(one), reads_.next_ticket(),
                  now.boot + cluster_.config().submit_program_timeout, effects_);
}

void Controller::drop_turn() {
  turn_ = {};
  outage_.forget_unrecorded();
}

void Controller::note_commit(TurnNumber number, Now now) {
  last_commit_ = {number, now.wall, cluster_.jobs().next_id(), sure_};
}

void Controller::on_store(StoreEvent event, Now now) {
  std::visit([&](auto& e) { on(std::move(e), now); }, event);
}

void Controller::on(Loaded event, Now now) {
  if (state_ != State::Loading) return;
  const TurnNumber number = event.snapshot.turn;
  const Term before = cluster_.term();
  cluster_.load(std::move(event.snapshot), now);
  // Builds the scheduling engine now: with many jobs that takes long, as the load did.
  feed_.engine(now);
  if (cluster_.term() != before) waiting_.forget_events();
  watch_nodes_for_triggers(cluster_, cluster_.soft().trigger_watch, now);
  note_commit(number, now);
  state_ = State::Ready;
  waits_kept_.changes = -1;
  time_notices_.pass_over(cluster_, now);
  pass_.restart(!idle_turn_rejected_);
  effects_.inform("loaded term=" + std::to_string(cluster_.term().value) +
                  " turn=" + std::to_string(number.value) +
                  " jobs=" + std::to_string(cluster_.jobs().all().size()) +
                  " nodes=" + std::to_string(cluster_.nodes().all().size()));
  warn_after_load();
}

void Controller::warn_after_load() {
  if (const Failover* failover = cluster_.failover())
    effects_.warn(
        "the database may have lost committed turns: no job starts until every node has reported "
        "what it runs " +
        failover_text(*failover));
  for (const auto& [id, one] : cluster_.accounting().accounts().all())
    if (const auto wrong = check_hours(cluster_.config().hours, one.limits, {}))
      effects_.warn("limits do not fit the hours of the configuration account=" +
                    quoted_value(one.account) + " message=" + quoted_value(wrong->fact));
}

void Controller::on(const Committed& event, Now now) {
  CHECK(state_ == State::InFlight && event.number.value == last_commit_.number.value + 1);
  note_commit(event.number, now);
  cluster_.soft().database_refusal.note_commit(turn_.kinds);
  state_ = State::Ready;
  release(event.blobs, now);
}

void Controller::on(const TurnRejected& event, Now now) {
  CHECK(state_ == State::InFlight);
  effects_.warn("turn=" + std::to_string(event.number.value) + " rejected sqlstate=" +
                quoted_value(event.sqlstate) + " message=" + quoted_value(event.message));
  std::vector<Event>& events = turn_.events;
  idle_turn_rejected_ = events.empty();
  if (idle_turn_rejected_) cluster_.soft().database_refusal.note(event.message, turn_.kinds, now);
  // The turn is rejected a second time, with only this event. A scheduling pass may have been the
  // cause of the first rejection, so only now the event is quarantined.
  if (turn_.is_replay) {
    quarantine(events.front(), event, now);
  } else {
    for (auto it = events.rbegin(); it != events.rend(); ++it) {
      if (const auto* incoming = std::get_if<PeerMessage>(&*it))
        forget_message(cluster_.soft(), incoming->message);
      replay_.push_front(std::move(*it));
    }
  }
  drop_turn();
  state_ = State::Loading;
  store_.load(false, now.wall - cluster_.config().min_job_age);
}

// Requests a read of the job that already has the request id of this submission. The submission is
// most likely a retry after memory has forgotten the job. Returns false if the request is no
// submission.
bool Controller::ask_for_request(const PeerMessage& incoming, const Request& request) {
  const auto* one = std::get_if<SubmitJob>(&request.body);
  const auto* many = std::get_if<SubmitJobs>(&request.body);
  if (one == nullptr && many == nullptr) return false;
  const std::int64_t jobs_asked = many != nullptr ? std::ssize(many->specs) : 0;
  reads_.ask_request(incoming.peer, request.number,
                     one != nullptr ? one->request_id : first_request_of(*many), jobs_asked);
  return true;
}

void Controller::quarantine(const Event& event, const TurnRejected& why, Now now) {
  constexpr std::string_view not_unique = "23505";
  constexpr std::size_t refusal_bytes_max = 200;  // PostgreSQL quotes the whole row in some errors
  const auto* incoming = std::get_if<PeerMessage>(&event);
  const auto* request = incoming == nullptr ? nullptr : std::get_if<Request>(&incoming->message);
  if (request != nullptr && why.sqlstate == not_unique && ask_for_request(*incoming, *request))
    return;
  if (const auto* asked = std::get_if<SqlRequest>(&event);
      asked != nullptr && asked->refused.empty()) {
    SqlRequest answer = *asked;
    answer.refused = why.message;
    queue_.put(std::move(answer));
  } else if (request != nullptr) {
    cluster_.soft().database_refusal.note_request(why.message, turn_.kinds, now);
  } else {
    cluster_.soft().database_refusal.note(why.message, turn_.kinds, now);
  }
  effects_.warn(subject_of(event) +
                "an event is quarantined: the database refuses what it asks for sqlstate=" +
                quoted_value(why.sqlstate));
  if (request != nullptr)
    effects_.reply(incoming->peer, request->number,
                   Refused{{"the database refuses it: " + cut_text(why.message, refusal_bytes_max),
                            "it was not carried out; `cox doctor` shows what to do"}});
}

void Controller::on(const Superseded& event, Now) {
  effects_.warn("superseded message=" + quoted_value(event.message));
  state_ = State::Superseded;
  database_regressed_ = event.database_regressed;
  turn_.held_back = {};
}

LastKnownState Controller::known() const {
  LastKnownState known{
      std::max(cluster_.term(), newer_),
      last_commit_.number,
      cluster_.jobs().next_id(),
      last_commit_.at,
      last_commit_.nobody_led_since && (state_ != State::Superseded || database_regressed_),
      {}};
  for (const auto& [id, entry] : cluster_.jobs().all())
    if (id < last_commit_.next_job) known.jobs.push_back(id);
  return known;
}

void Controller::on(const StoreAway& event, Now now) {
  outage_.begin(event.message, now);
  cluster_.soft().hears_clients = false;
  effects_.warn("the database is away message=" + quoted_value(event.message));
}

void Controller::on(const StoreBack&, Now now) {
  cluster_.soft().hears_clients = true;
  cluster_.soft().hears_clients_since = now.boot;
  if (outage_.end()) effects_.inform("the database is back");
}

// For each reply of the turn, adds the same reply to the clients that have repeated the request.
void Controller::answer_repeats() {
  std::vector<Outgoing> repeats;
  for (const Outgoing& each : effects_.messages)
    if (const auto* reply = std::get_if<Reply>(&each.message))
      for (Outgoing& copy : open_requests_.close(each.peer, *reply, ran_at_))
        repeats.push_back(std::move(copy));
  effects_.messages.insert(effects_.messages.end(), std::make_move_iterator(repeats.begin()),
                           std::make_move_iterator(repeats.end()));
}

}  // namespace cox
