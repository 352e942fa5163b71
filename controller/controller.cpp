#include "controller/controller.h"

#include <algorithm>

#include "common/check.h"
#include "common/job_ref.h"
#include "common/log_line.h"
#include "controller/dependencies.h"
#include "controller/hours.h"
#include "controller/react.h"
#include "controller/steps.h"

namespace cox {
namespace {

constexpr std::size_t turn_events_max = 1000;
constexpr std::size_t queue_events_max = 100'000;
constexpr std::size_t waiters_max = 10'000;
constexpr Milliseconds away_patience{2'000};
constexpr Milliseconds pass_interval{30'000};   // at the latest; Slurm's sched_interval
constexpr Milliseconds qos_interval{2'000};     // so soon a change of a tier is noticed
constexpr Milliseconds requests_interval{500};  // and what is asked by SQL
constexpr Milliseconds waits_interval{5'000};   // at most so often is it stored why jobs wait

// Whom an event is about, for the log.
std::string subject_of(const Event& event) {
  const auto* said = std::get_if<PeerSaid>(&event);
  if (said == nullptr) return "";
  if (const auto* report = std::get_if<StatusReport>(&said->message))
    return about(report->status.key) + "node=" + report->node + " ";
  const auto* request = std::get_if<Request>(&said->message);
  const auto* act = request == nullptr ? nullptr : std::get_if<ActOnJobs>(&request->body);
  if (act == nullptr || act->ids.empty()) return "";
  return "job=" + std::to_string(act->ids.front().value) + " ";
}

// What a Prepare carries by hash only, until the store has read it.
std::vector<std::string> blobs_wanted(const std::vector<Outgoing>& messages) {
  std::vector<std::string> hashes;
  for (const auto& m : messages) {
    const auto* prepare = std::get_if<Prepare>(&m.message);
    if (prepare == nullptr) continue;
    const JobSpec& spec = prepare->launch.spec;
    for (const auto* hash : {&spec.script_hash, &spec.environment_hash})
      if (!hash->empty()) hashes.push_back(*hash);
  }
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

void fill_in(Prepare& prepare, const std::vector<Blob>& blobs) {
  for (const auto& blob : blobs) {
    if (blob.hash == prepare.launch.spec.script_hash) prepare.launch.script = blob.content;
    if (blob.hash == prepare.launch.spec.environment_hash)
      prepare.launch.environment = blob.content;
  }
}

}  // namespace

Controller::Controller(ControllerConfig config, Store& store)
    : cluster_(std::move(config)), store_(store) {}

void Controller::start(Now now) {
  CHECK(state_ == State::New);
  state_ = State::Loading;
  store_.load(true, now.wall - cluster_.config().min_job_age);
}

void Controller::receive(PeerSaid said, Now now) {
  if (state_ == State::Superseded) return;
  if (const auto* beat = std::get_if<Heartbeat>(&said.message)) {
    const bool may = said.caller.kind == Caller::Kind::Worker &&
                     (said.caller.node.empty() || said.caller.node == beat->node);
    // Also while memory is loaded anew, which a database that goes away may draw out.
    if (!may || cluster_.term() == Term{}) return;
    // Exempt from commit-before-send: it promises nothing but time.
    if (const auto ack = heartbeat_ack(cluster_, *beat, now.boot))
      outgoing_.push_back({said.peer, *ack});
  }
  if (const auto* request = std::get_if<Request>(&said.message)) {
    const bool away = away_since_ && now.boot - *away_since_ > away_patience;
    if (away || queue_.size() >= queue_events_max) {
      refuse_while_away(said, *request, now);
      return;
    }
  }
  // What workers say is said again until it is answered, so nothing of it need wait for a database
  // that is away.
  if (away_since_ && said.caller.kind == Caller::Kind::Worker) return;
  if (queue_.size() < 2 * queue_events_max) queue_.emplace_back(std::move(said));
}

void Controller::refuse_while_away(const PeerSaid& said, const Request& request, Now now) {
  Refusal why{"the controller has " + std::to_string(queue_.size()) + " requests waiting",
              "try again in a moment"};
  if (away_since_) {
    const auto seconds = (now.boot - *away_since_).count() / 1000;
    why = {"PostgreSQL has not answered for " + std::to_string(seconds) + " s: " + away_why_,
           "running jobs go on and nothing accepted is lost; try again in a moment"};
  }
  outgoing_.push_back({said.peer, Reply{request.number, Refused{why, true}}});
}

void Controller::tick(Now) {
  tick_due_ = true;
}

void Controller::run(Now now) {
  for (const auto& event : store_.poll()) on_store(event, now);
  ask_for_qos(now);
  ask_for_requests(now);
  while (turn(now)) {
    for (const auto& event : store_.poll()) on_store(event, now);
  }
}

std::vector<Event> Controller::next_events() {
  std::vector<Event> events;
  if (!replay_.empty()) {
    events.push_back(std::move(replay_.front()));
    replay_.pop_front();
    return events;
  }
  while (!queue_.empty() && events.size() < turn_events_max) {
    events.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  if (tick_due_) events.emplace_back(Tick{});
  tick_due_ = false;
  return events;
}

bool Controller::turn(Now now) {
  if (state_ != State::Ready) return false;
  replaying_ = !replay_.empty();
  const bool judging = !judging_refused_ && (cluster_.dependants().due().has_value() ||
                                             !cluster_.untold_in_vain().empty());
  const bool idle = queue_.empty() && !tick_due_ && !scheduling_due_ && !passing_ && !judging;
  if (!replaying_ && idle) return false;
  in_flight_ = next_events();
  Reaction r(cluster_, now);
  for (const auto& event : in_flight_) {
    if (const auto* said = std::get_if<PeerSaid>(&event)) {
      react(r, *said);
    } else if (const auto* asked = std::get_if<AskedBySql>(&event)) {
      on_asked_by_sql(r, *asked);
    } else {
      on_tick(r);
    }
  }
  if (!in_flight_.empty()) judging_refused_ = false;
  if (!replaying_ && !judging_refused_) judge_dependants(r);
  // Waiting alone changes who is next: nobody else would ask.
  if (now.boot - last_pass_ >= pass_interval || now.boot >= next_change_) {
    scheduling_due_ = true;
    next_change_ = Boot::max();
  }
  scheduling_due_ = scheduling_due_ || r.scheduling();
  if ((passing_ || scheduling_due_) && !replaying_) {
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
    passing_ = !schedule_part(r);
    if (!passing_) next_change_ = cluster_.engine(now).next_change(now).value_or(Boot::max());
  }
  if (!replaying_) keep_waits_if_due(r, now);
  finish(r, now);
  return true;
}

void Controller::keep_waits_if_due(Reaction& r, Now now) {
  if (cluster_.unfinished().size() == cluster_.live().size()) return;
  if (now.boot - waits_kept_ < waits_interval) return;
  if (cluster_.changes_applied() == waits_kept_changes_) return;
  waits_kept_ = now.boot;
  waits_kept_changes_ = keep_waits(r) ? cluster_.changes_applied() : -1;
}

void Controller::finish(Reaction& r, Now now) {
  auto wanted = blobs_wanted(r.outgoing);
  held_back_ = {std::move(r.outgoing), std::move(r.waiters), std::move(r.reads),
                remarks_of(r.changes)};
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
  store_.commit({cluster_.term(), TurnNumber{committed_.value + 1}, now.wall, std::move(r.changes),
                 std::move(wanted)});
}

void Controller::take_waiters(std::vector<Waiter> waiters) {
  for (auto& w : waiters) {
    if (waiters_.size() < waiters_max) {
      waiters_.push_back(std::move(w));
      continue;
    }
    const Refusal why{std::to_string(waiters_max) + " clients wait for jobs already, the limit",
                      "try again later"};
    outgoing_.push_back({w.peer, Reply{w.number, Refused{why, true}}});
  }
}

void Controller::answer_waiters(Now now) {
  std::vector<WantedRead> reads;
  std::erase_if(waiters_, [&](const Waiter& w) {
    const JobEntry* e = cluster_.job(w.job);
    const Step* step = e != nullptr && w.step >= 0 ? e->step(w.step) : nullptr;
    if (step != nullptr) {
      if (step->state == w.known && now.boot < w.until) return false;
      outgoing_.push_back({w.peer, Reply{w.number, step_shown(*e, *step, now)}});
      return true;
    }
    if (w.step >= 0) {
      const Refusal gone{"Job/step already completing or completed", ""};
      outgoing_.push_back({w.peer, Reply{w.number, Refused{gone}}});
      return true;
    }
    if (e != nullptr && e->change_count == w.known_change_count && now.boot < w.until) return false;
    if (e != nullptr) {
      outgoing_.push_back(
          {w.peer, Reply{w.number, w.whole_array ? detail_of_array(cluster_, *e, now, false)
                                                 : detail_of(cluster_, *e, now)}});
    } else {
      reads.push_back({WantedRead::What::Job, w.peer, w.number, w.job, 0});
    }
    return true;
  });
  ask_reads(std::move(reads));
}

void Controller::ask_reads(std::vector<WantedRead> reads) {
  for (auto& read : reads) {
    const std::int64_t ticket = next_ticket_++;
    if (read.task >= 0) {
      store_.read_task(ticket, read.job, read.task);
    } else if (read.what == WantedRead::What::History && read.whole_array) {
      store_.read_array_history(ticket, read.job, read.after_sequence);
    } else if (read.what == WantedRead::What::History) {
      store_.read_history(ticket, read.job, read.after_sequence);
    } else {
      const bool is_shown =
          read.what == WantedRead::What::Job || read.what == WantedRead::What::Log;
      store_.read_job(ticket, read.job, is_shown);
    }
    reads_.emplace(ticket, std::move(read));
  }
}

// The turn is true now: whoever waits for it may know, and the log.
void Controller::release(const std::vector<Blob>& blobs, Now now) {
  HeldBack held = std::exchange(held_back_, {});
  for (auto& m : held.messages) {
    if (auto* prepare = std::get_if<Prepare>(&m.message)) fill_in(*prepare, blobs);
    outgoing_.push_back(std::move(m));
  }
  for (auto& one : held.remarks) remarks_.push_back(std::move(one));
  take_waiters(std::move(held.waiters));
  answer_waiters(now);
  ask_reads(std::move(held.reads));
  in_flight_.clear();
}

void Controller::on_store(const StoreEvent& event, Now now) {
  std::visit([&](const auto& e) { on(e, now); }, event);
}

void Controller::on(const Loaded& event, Now now) {
  if (state_ != State::Loading) return;
  cluster_.load(event.snapshot, now);
  committed_ = event.snapshot.turn;
  state_ = State::Ready;
  waits_kept_changes_ = -1;
  scheduling_due_ = !std::exchange(pass_refused_, false);
  passing_ = false;
  remark(false, "loaded term=" + std::to_string(cluster_.term().value) +
                    " turn=" + std::to_string(committed_.value) +
                    " jobs=" + std::to_string(cluster_.jobs().size()) +
                    " nodes=" + std::to_string(cluster_.nodes().size()));
  for (const auto& [id, one] : cluster_.accounts().all())
    if (const auto wrong = check_hours(cluster_.config().hours, one.limits, {}))
      remark(true, "limits do not fit the hours of the configuration account=" +
                       quoted_value(one.account) + " message=" + quoted_value(wrong->fact));
}

void Controller::on(const Committed& event, Now now) {
  CHECK(state_ == State::InFlight && event.number.value == committed_.value + 1);
  committed_ = event.number;
  state_ = State::Ready;
  release(event.blobs, now);
}

void Controller::on(const TurnRejected& event, Now now) {
  CHECK(state_ == State::InFlight);
  remark(true, "turn=" + std::to_string(event.number.value) + " rejected sqlstate=" +
                   quoted_value(event.sqlstate) + " message=" + quoted_value(event.message));
  held_back_ = {};
  // The pass that ran in the same turn may be what was refused: only alone is an event to blame.
  if (replaying_) {
    quarantine(in_flight_.front(), event);
  } else {
    for (auto it = in_flight_.rbegin(); it != in_flight_.rend(); ++it) {
      if (const auto* said = std::get_if<PeerSaid>(&*it)) unhear(cluster_, said->message);
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
bool Controller::ask_for_request(const PeerSaid& said, const Request& request) {
  const auto* one = std::get_if<SubmitJob>(&request.body);
  const auto* many = std::get_if<SubmitJobs>(&request.body);
  if (one == nullptr && many == nullptr) return false;
  WantedRead read{WantedRead::What::Request, said.peer, request.number, {}, 0};
  if (many != nullptr) read.jobs_asked = std::ssize(many->specs);
  const std::int64_t ticket = next_ticket_++;
  store_.read_request(ticket, one != nullptr ? one->request_id : first_request_of(*many));
  reads_.emplace(ticket, std::move(read));
  return true;
}

void Controller::quarantine(const Event& event, const TurnRejected& why) {
  constexpr std::string_view not_unique = "23505";
  const auto* said = std::get_if<PeerSaid>(&event);
  const auto* request = said == nullptr ? nullptr : std::get_if<Request>(&said->message);
  if (request != nullptr && why.sqlstate == not_unique && ask_for_request(*said, *request)) return;
  if (const auto* asked = std::get_if<AskedBySql>(&event);
      asked != nullptr && asked->refused.empty()) {
    AskedBySql answer = *asked;
    answer.refused = why.message;
    queue_.emplace_back(std::move(answer));
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
  held_back_ = {};
}

void Controller::on(const StoreAway& event, Now now) {
  if (!away_since_) away_since_ = now.boot;
  away_why_ = event.message;
  remark(true, "the database is away message=" + quoted_value(event.message));
}

void Controller::on(const StoreBack&, Now) {
  if (away_since_) remark(false, "the database is back");
  away_since_.reset();
}

void Controller::on(const HistoryRead& event, Now) {
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& ask = read.mapped();
  Reply reply{ask.number, HistoryPage{event.events, event.more, event.job_names}};
  if (event.events.empty() && ask.after_sequence == 0)
    reply.body = Refused{never_was(cluster_, ask.job, -1)};
  outgoing_.push_back({ask.peer, std::move(reply)});
}

void Controller::on(const JobRead& event, Now now) {
  auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  WantedRead& ask = read.mapped();
  Reply reply{ask.number, Refused{never_was(cluster_, ask.job, ask.task)}};
  if (ask.what == WantedRead::What::History) {
    const Failure why =
        event.jobs.empty() ? std::nullopt : check_one_row(event.jobs.front(), ask.tasks);
    if (why) reply.body = Refused{*why};
    if (!why && !event.jobs.empty())
      return ask_reads({{WantedRead::What::History, ask.peer, ask.number, event.jobs.front().id,
                         ask.after_sequence}});
  } else if (ask.what == WantedRead::What::Request) {
    if (event.jobs.empty()) {
      reply.body = Refused{{"the database refuses it", ""}};
    } else if (ask.jobs_asked > 0) {
      reply.body = SubmittedJobs{event.jobs.front().id, ask.jobs_asked, true};
    } else {
      reply.body = Submitted{event.jobs.front().id, true, ""};
    }
  } else if (ask.what == WantedRead::What::Recall && event.jobs.empty()) {
    reply.body = Refused{never_submitted(ask.job)};
  } else if (ask.what == WantedRead::What::Recall) {
    ask.again->recalled.push_back(event.jobs.front());
    queue_.emplace_back(std::move(*ask.again));
    return;
  } else if (!event.jobs.empty()) {
    reply.body = answer_forgotten(cluster_, event, ask, now);
  }
  outgoing_.push_back({ask.peer, std::move(reply)});
}

// What administrators change in the database takes effect without a restart.
void Controller::ask_for_qos(Now now) {
  if (state_ != State::Ready || away_since_ || qos_ticket_) return;
  if (now.boot - qos_asked_ < qos_interval) return;
  qos_asked_ = now.boot;
  qos_ticket_ = next_ticket_++;
  store_.read_qos(*qos_ticket_);
}

void Controller::ask_for_requests(Now now) {
  if (state_ != State::Ready || away_since_ || requests_ticket_) return;
  if (now.boot - requests_asked_ < requests_interval) return;
  requests_asked_ = now.boot;
  requests_ticket_ = next_ticket_++;
  store_.read_requests(*requests_ticket_);
}

// A row is read again until its answer is committed; one that is being judged is not judged twice.
void Controller::on(const RequestsRead& event, Now) {
  if (requests_ticket_ != event.ticket) return;
  requests_ticket_.reset();
  std::set<std::int64_t> asked_now;
  for (const AskedBySql& asked : event.requests) {
    asked_now.insert(asked.id);
    if (asked_by_sql_.insert(asked.id).second) queue_.emplace_back(asked);
  }
  std::erase_if(asked_by_sql_, [&](std::int64_t id) { return !asked_now.contains(id); });
}

void Controller::on(const QosRead& event, Now) {
  if (qos_ticket_ != event.ticket) return;  // read before a turn that changed them
  qos_ticket_.reset();
  if (state_ == State::New || state_ == State::Loading) return;
  const auto is_known = [this](const Qos& qos) {
    const auto known = cluster_.qos().find(qos.name);
    return known != cluster_.qos().end() && known->second == qos;
  };
  if (std::ranges::all_of(event.qos, is_known)) return;
  remark(false, "a QOS has changed");
  cluster_.set_qos(event.qos);
  scheduling_due_ = true;
}

void Controller::on(const ReadFailed& event, Now) {
  if (event.ticket == qos_ticket_) qos_ticket_.reset();
  if (event.ticket == requests_ticket_) requests_ticket_.reset();
  const auto read = reads_.extract(event.ticket);
  if (read.empty()) return;
  const WantedRead& ask = read.mapped();
  remark(true, about({ask.job, {}}) + "cannot be read message=" + quoted_value(event.message));
  const Refusal why{"the database cannot be read: " + event.message,
                    "nothing is lost; try again in a moment"};
  outgoing_.push_back({ask.peer, Reply{ask.number, Refused{why, true}}});
}

std::vector<Remark> Controller::remarks_of(const std::vector<Change>& changes) {
  std::vector<Remark> remarks;
  for (const auto& change : changes) {
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
  return std::exchange(outgoing_, {});
}
std::vector<Remark> Controller::take_remarks() {
  return std::exchange(remarks_, {});
}

}  // namespace cox
