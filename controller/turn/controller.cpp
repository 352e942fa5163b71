#include "controller/turn/controller.h"

#include <algorithm>
#include <iterator>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/log_line.h"
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
#include "controller/scheduling/judge_dependants.h"
#include "controller/scheduling/waits.h"
#include "controller/turn/blobs.h"
#include "controller/turn/tick.h"

namespace cox {
namespace {

constexpr Milliseconds pass_interval{30'000};  // at the latest; Slurm's sched_interval
constexpr Milliseconds waits_interval{5'000};  // at most so often is it stored why jobs wait
constexpr Milliseconds times_interval{1'000};  // and is it looked at who has used up his time

// Whom an event is about, for the log.
std::string subject_of(const Event& event) {
  const auto* said = std::get_if<PeerMessage>(&event);
  if (said == nullptr) return "";
  if (const auto* report = std::get_if<StatusReport>(&said->message))
    return about(report->status.key) + "node=" + report->node + " ";
  const auto* request = std::get_if<Request>(&said->message);
  const auto* act = request == nullptr ? nullptr : std::get_if<ActOnJobs>(&request->body);
  if (act == nullptr || act->ids.empty()) return "";
  return "job=" + std::to_string(act->ids.front().value) + " ";
}

}  // namespace

Controller::Controller(ControllerConfig config, Store& store)
    : cluster_(std::move(config)), store_(store) {}

void Controller::start(Now now) {
  CHECK(state_ == State::New);
  cluster_.turn_statistics().since = now.wall;
  state_ = State::Loading;
  store_.load(true, now.wall - cluster_.config().min_job_age);
}

void Controller::receive(PeerMessage said, Now now) {
  if (state_ == State::Superseded) return;
  if (const auto* beat = std::get_if<Heartbeat>(&said.message)) {
    const bool may = said.caller.kind == Caller::Kind::Worker &&
                     (said.caller.node.empty() || said.caller.node == beat->node);
    // Also while memory is loaded anew, which a database that goes away may draw out.
    if (!may || cluster_.term() == Term{}) return;
    // Exempt from commit-before-send: it promises nothing but time.
    if (auto ack = heartbeat_ack(cluster_, *beat, now.boot)) {
      ack->unsure = !sure_;
      outgoing_.push_back({said.peer, *ack});
    }
  }
  const auto* request = std::get_if<Request>(&said.message);
  if (request != nullptr && said.caller.kind == Caller::Kind::Client &&
      !takes_request(said, *request, now))
    return;
  // What workers say is said again until it is answered, so nothing of it need wait for a database
  // that is away.
  if (away_since_ && said.caller.kind == Caller::Kind::Worker) return;
  if (queue_.has_room(said)) queue_.put(std::move(said));
}

void Controller::fence_ended(FenceEnded ended) {
  queue_.put(std::move(ended));
}

void Controller::site_run_ended(SiteRunEnded ended) {
  queue_.put(std::move(ended));
}

void Controller::tick(Now) {
  tick_due_ = true;
}

void Controller::run(Now now) {
  ran_at_ = now.boot;
  for (auto& event : store_.poll()) on_store(std::move(event), now);
  settle_while_away(now);
  ask_for_qos(now);
  ask_for_requests(now);
  while (turn(now)) {
    for (auto& event : store_.poll()) on_store(std::move(event), now);
    settle_while_away(now);
  }
}

void Controller::finish_turn(Now now) {
  for (auto& event : store_.poll()) on_store(std::move(event), now);
}

// A pass may take several turns.
void Controller::note_run(Microseconds took) {
  if (!std::exchange(passed_, false)) return;
  pass_took_ += took;
  if (!passing_) cluster_.turn_statistics().passes.add(std::exchange(pass_took_, Microseconds{0}));
}

std::vector<Event> Controller::next_events() {
  std::vector<Event> events;
  if (!replay_.empty()) {
    events.push_back(std::move(replay_.front()));
    replay_.pop_front();
    return events;
  }
  events = queue_.take(limits::turn_events_max, limits::turn_work_max);
  if (tick_due_) events.emplace_back(Tick{});
  tick_due_ = false;
  return events;
}

bool Controller::turn(Now now) {
  if (state_ != State::Ready) return false;
  replaying_ = !replay_.empty();
  const bool judging = !judging_refused_ && (cluster_.dependants().due().has_value() ||
                                             !cluster_.hopeless_unrecorded().empty());
  const bool pass_due = (scheduling_due_ || passing_) && cluster_.failover() == nullptr;
  const bool idle = queue_.empty() && !tick_due_ && !pass_due && !judging;
  if (!replaying_ && idle) return false;
  cluster_.turn_statistics().events_waiting = static_cast<std::int64_t>(queue_.size());
  in_flight_ = next_events();
  Reaction r(cluster_, now);
  pull_triggers_of_leadership(r);
  for (const auto& event : in_flight_) {
    if (const auto* said = std::get_if<PeerMessage>(&event)) {
      react(r, *said);
    } else if (const auto* asked = std::get_if<SqlRequest>(&event)) {
      on_asked_by_sql(r, *asked);
    } else if (const auto* fence = std::get_if<FenceEnded>(&event)) {
      on_fence_ended(r, *fence);
    } else if (const auto* run = std::get_if<SiteRunEnded>(&event)) {
      on_site_run_ended(r, *run);
    } else if (const auto* found = std::get_if<GroupsFound>(&event)) {
      r.soft_state().know_groups(found->groups);
    } else {
      on_tick(r);
    }
  }
  if (r.newer_term) {
    step_down(*r.newer_term);
    return true;
  }
  if (!in_flight_.empty()) judging_refused_ = false;
  if (!replaying_ && !judging_refused_) judge_dependants(r);
  // Waiting alone changes who is next: nobody else would ask.
  if (now.boot - last_pass_ >= pass_interval || now.boot >= next_change_) {
    scheduling_due_ = true;
    next_change_ = Boot::max();
  }
  scheduling_due_ = scheduling_due_ || r.scheduling();
  if ((passing_ || scheduling_due_) && !replaying_ && cluster_.failover() == nullptr) {
    // In each part of a pass: they may have turned since the last, and whom it has judged already
    // is looked at again.
    const bool hours_turned = cluster_.settle_hours(now);
    if (passing_) {
      scheduling_due_ = scheduling_due_ || hours_turned;
    } else {
      scheduling_due_ = false;
      last_pass_ = now.boot;
      cluster_.settle_fair_shares(now);
    }
    passing_ = !run_pass_part(r);
    passed_ = true;
    if (!passing_) next_change_ = cluster_.engine(now).next_change(now).value_or(Boot::max());
  }
  if (!replaying_) keep_waits_if_due(r, now);
  pull_triggers(r);
  finish(r, now);
  return true;
}

void Controller::step_down(Term newer) {
  newer_ = newer;
  alone_ = false;
  on(Superseded{"a worker has obeyed term " + std::to_string(newer.value) + ", ours is " +
                    std::to_string(cluster_.term().value),
                true},
     {});
}

void Controller::keep_waits_if_due(Reaction& r, Now now) {
  if (cluster_.unfinished().size() == cluster_.live().size()) return;
  if (now.boot - waits_kept_ < waits_interval) return;
  if (cluster_.changes_applied() == waits_kept_changes_) return;
  waits_kept_ = now.boot;
  explain_pending_jobs(r, std::nullopt);
  waits_kept_changes_ = keep_waits(r) ? cluster_.changes_applied() : -1;
}

void Controller::finish(Reaction& r, Now now) {
  auto wanted = blobs_wanted(r.outgoing);
  held_back_ = {std::move(r.outgoing),
                std::move(r.waiters),
                std::move(r.followers),
                events_of(r.changes, cluster_),
                std::move(r.reads),
                remarks_of(r.changes),
                notices_of(r.changes, cluster_, now.wall),
                std::move(r.fences),
                std::move(r.site_runs),
                std::move(r.trigger_runs),
                std::move(r.verdicts),
                r.restarts,
                {}};
  if (now.boot - times_told_ >= times_interval) {
    times_told_ = now.boot;
    for (Notice& each : time_notices_.due(cluster_, now)) notices_.push_back(std::move(each));
  }
  held_back_.counted.count(r.changes);
  if (r.changes.empty() && wanted.empty()) {
    release({}, now);
    return;
  }
  const auto outdates_reads = [](const Change& change) {
    return std::holds_alternative<QosPut>(change) || std::holds_alternative<QosRemoved>(change) ||
           std::holds_alternative<RequestAnswered>(change);
  };
  if (std::ranges::any_of(r.changes, outdates_reads)) {
    qos_ticket_.reset();
    requests_ticket_.reset();
  }
  state_ = State::InFlight;
  note_unrecorded(r.changes);
  store_.commit({cluster_.term(), TurnNumber{committed_.value + 1}, now.wall, std::move(r.changes),
                 std::move(wanted)});
}

// The turn is true now: whoever waits for it may know, and the log.
void Controller::release(const std::vector<Blob>& blobs, Now now) {
  HeldBack held = std::exchange(held_back_, {});
  cluster_.turn_statistics().add(held.counted);
  for (auto& m : held.messages) {
    fill_in(m, blobs);
    outgoing_.push_back(std::move(m));
  }
  for (auto& one : held.remarks) remarks_.push_back(std::move(one));
  for (auto& one : held.notices) notices_.push_back(std::move(one));
  for (auto& one : held.fences) fences_.push_back(std::move(one));
  for (auto& one : held.site_runs) site_runs_.push_back(std::move(one));
  for (auto& one : held.trigger_runs) trigger_runs_.push_back(std::move(one));
  restart_asked_ = restart_asked_ || held.restarts;
  add_waiters(std::move(held.waiters));
  answer_waiters(now);
  stream_.add(std::move(held.events));
  take_followers(std::move(held.followers));
  answer_followers(now);
  ask_reads(std::move(held.reads));
  ask_verdicts(std::move(held.verdicts), now);
  in_flight_.clear();
  unrecorded_jobs_.clear();
  unrecorded_others_.clear();
}

void Controller::on_store(StoreEvent event, Now now) {
  std::visit([&](auto& e) { on(std::move(e), now); }, event);
}

void Controller::on(Loaded event, Now now) {
  if (state_ != State::Loading) return;
  committed_ = event.snapshot.turn;
  const Term before = cluster_.term();
  cluster_.load(std::move(event.snapshot), now);
  if (cluster_.term() != before) stream_ = {};
  watch_nodes_for_triggers(cluster_, now);
  alone_ = sure_;
  committed_at_ = now.wall;
  committed_jobs_ = cluster_.next_job();
  state_ = State::Ready;
  waits_kept_changes_ = -1;
  time_notices_.pass_over(cluster_, now);
  scheduling_due_ = !std::exchange(pass_refused_, false);
  passing_ = false;
  remark(false, "loaded term=" + std::to_string(cluster_.term().value) +
                    " turn=" + std::to_string(committed_.value) +
                    " jobs=" + std::to_string(cluster_.jobs().size()) +
                    " nodes=" + std::to_string(cluster_.nodes().size()));
  if (const Failover* failover = cluster_.failover())
    remark(
        true,
        "the database may have lost what was told to be true: no job starts until every node has "
        "told what it runs " +
            told(*failover));
  for (const auto& [id, one] : cluster_.accounts().all())
    if (const auto wrong = check_hours(cluster_.config().hours, one.limits, {}))
      remark(true, "limits do not fit the hours of the configuration account=" +
                       quoted_value(one.account) + " message=" + quoted_value(wrong->fact));
}

void Controller::on(const Committed& event, Now now) {
  CHECK(state_ == State::InFlight && event.number.value == committed_.value + 1);
  committed_ = event.number;
  alone_ = sure_;
  committed_at_ = now.wall;
  committed_jobs_ = cluster_.next_job();
  state_ = State::Ready;
  release(event.blobs, now);
}

void Controller::on(const TurnRejected& event, Now now) {
  CHECK(state_ == State::InFlight);
  remark(true, "turn=" + std::to_string(event.number.value) + " rejected sqlstate=" +
                   quoted_value(event.sqlstate) + " message=" + quoted_value(event.message));
  held_back_ = {};
  unrecorded_jobs_.clear();
  unrecorded_others_.clear();
  // The pass that ran in the same turn may be what was refused: only alone is an event to blame.
  if (replaying_) {
    quarantine(in_flight_.front(), event);
  } else {
    for (auto it = in_flight_.rbegin(); it != in_flight_.rend(); ++it) {
      if (const auto* said = std::get_if<PeerMessage>(&*it))
        forget_message(cluster_, said->message);
      replay_.push_front(std::move(*it));
    }
  }
  // The pass alone is refused: not again before something has happened, or it would go round for
  // ever.
  pass_refused_ = in_flight_.empty();
  judging_refused_ = in_flight_.empty();
  in_flight_.clear();
  state_ = State::Loading;
  store_.load(false, now.wall - cluster_.config().min_job_age);
}

// A submission whose id another has: most likely a retry after memory has forgotten the job.
bool Controller::ask_for_request(const PeerMessage& said, const Request& request) {
  const auto* one = std::get_if<SubmitJob>(&request.body);
  const auto* many = std::get_if<SubmitJobs>(&request.body);
  if (one == nullptr && many == nullptr) return false;
  const std::int64_t jobs_asked = many != nullptr ? std::ssize(many->specs) : 0;
  const std::int64_t ticket = next_ticket_++;
  store_.read_request(ticket, one != nullptr ? one->request_id : first_request_of(*many));
  reads_.emplace(ticket, WantedRead{said.peer, request.number, SubmissionWanted{jobs_asked}});
  return true;
}

void Controller::quarantine(const Event& event, const TurnRejected& why) {
  constexpr std::string_view not_unique = "23505";
  const auto* said = std::get_if<PeerMessage>(&event);
  const auto* request = said == nullptr ? nullptr : std::get_if<Request>(&said->message);
  if (request != nullptr && why.sqlstate == not_unique && ask_for_request(*said, *request)) return;
  if (const auto* asked = std::get_if<SqlRequest>(&event);
      asked != nullptr && asked->refused.empty()) {
    SqlRequest answer = *asked;
    answer.refused = why.message;
    queue_.put(std::move(answer));
  }
  remark(true, subject_of(event) +
                   "an event is quarantined: the database refuses what it asks for sqlstate=" +
                   quoted_value(why.sqlstate));
  if (request != nullptr)
    outgoing_.push_back(
        {said->peer, Reply{request->number, Refused{{"the database refuses it: " + why.message,
                                                     "please report this with the command"}}}});
}

void Controller::on(const Superseded& event, Now) {
  remark(true, "superseded message=" + quoted_value(event.message));
  state_ = State::Superseded;
  went_back_ = event.database_regressed;
  held_back_ = {};
}

LastKnownState Controller::known() const {
  LastKnownState known{std::max(cluster_.term(), newer_),
                       committed_,
                       cluster_.next_job(),
                       committed_at_,
                       alone_ && (state_ != State::Superseded || went_back_),
                       {}};
  for (const auto& [id, entry] : cluster_.jobs())
    if (id < committed_jobs_) known.jobs.push_back(id);
  return known;
}

void Controller::on(const StoreAway& event, Now now) {
  if (!away_since_) {
    away_since_ = now.boot;
    away_at_ = now.wall;
  }
  away_why_ = event.message;
  remark(true, "the database is away message=" + quoted_value(event.message));
}

void Controller::on(const StoreBack&, Now) {
  if (away_since_) remark(false, "the database is back");
  away_since_.reset();
}

std::vector<Remark> Controller::remarks_of(const std::vector<Change>& changes) {
  std::vector<Remark> remarks;
  for (const auto& change : changes) {
    if (const auto* news = std::get_if<FailoverTold>(&change)) {
      const Failover& failover = news->failover;
      const bool is_over = failover.settled != Wall{};
      remarks.push_back({!is_over, std::string(is_over ? "jobs start again after the failover "
                                                       : "a node runs what a failover has lost ") +
                                       told(failover)});
      continue;
    }
    const auto* added = std::get_if<EventAdded>(&change);
    if (added == nullptr) continue;
    const JobEvent& e = added->event;
    remarks.push_back({false, about({e.job, e.attempt}) + "what=" + e.what +
                                  " state=" + std::string(name(e.state)) +
                                  " why=" + quoted_value(e.why) + " by=" + quoted_value(e.actor)});
  }
  return remarks;
}

std::vector<Outgoing> Controller::take_outgoing() {
  std::vector<Outgoing> repeats;
  for (const Outgoing& each : outgoing_)
    if (const auto* reply = std::get_if<Reply>(&each.message))
      for (Outgoing& copy : open_requests_.close(each.peer, *reply, ran_at_))
        repeats.push_back(std::move(copy));
  outgoing_.insert(outgoing_.end(), std::make_move_iterator(repeats.begin()),
                   std::make_move_iterator(repeats.end()));
  return std::exchange(outgoing_, {});
}
std::vector<Remark> Controller::take_remarks() {
  return std::exchange(remarks_, {});
}

std::vector<Notice> Controller::take_notices() {
  return std::exchange(notices_, {});
}

std::vector<FenceOrder> Controller::take_fences() {
  return std::exchange(fences_, {});
}

std::vector<SiteRun> Controller::take_site_runs() {
  return std::exchange(site_runs_, {});
}

std::vector<TriggerRun> Controller::take_trigger_runs() {
  return std::exchange(trigger_runs_, {});
}

}  // namespace cox
