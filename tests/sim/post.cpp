#include "tests/sim/post.h"

#include <utility>

#include "common/messages/standing_by.h"

namespace cox::sim {
namespace {

// Delay before the lease is asked for again while the database is unreachable.
constexpr Milliseconds ask_again{500};

}  // namespace

Post::Post(Surroundings around, std::int64_t number)
    : around_(std::move(around)),
      scene_(around_.scene),
      name_("controller-" + std::to_string(number)),
      clock_(scene_, boot_from_ms(50'000)) {}

const Cluster* Post::cluster() const {
  return controller_ != nullptr && controller_->ready() ? &controller_->cluster() : nullptr;
}

// ---- its lives ---------------------------------------------------------------------------------

void Post::begin(Milliseconds first) {
  start();
  scene_.agenda.after(first, [this] { tick(); });
}

void Post::start() {
  lease_ = std::make_unique<LeaderLease>(around_.config.leader_lease);
  loop_ = std::make_unique<LeaderLoop>(LastKnownState{});
  known_ = {};
  time_of_day_ = {};
  server_time_.reset();
  life_ += 1;
  is_asking_ = false;
  started_ = scene_.agenda.now();
  log("starts");
  run_soon();
}

void Post::dies(const std::string& why) {
  if (!runs()) return;
  log("dies: " + why);
  Random& dice = scene_.faults.dice(Fault::ControllerDies);
  go_away(dice.time(50, dice.one_in(5) ? 30'000 : 3'000));
}

void Post::ends_well() {
  if (!runs() || is_stopped()) return;
  log("is stopped in order");
  on(LeaderLoop::EndRequested{});
}

void Post::set_wall_off_by(Milliseconds off) {
  if (off != Milliseconds{0})
    log("its time of day is wrong by " + std::to_string(off.count() / 1000) + " s");
  clock_.set_wall_off_by(off);
}

void Post::go_away(Milliseconds time) {
  leave_store();
  lease_.reset();
  loop_.reset();
  received_.clear();
  to_send_.clear();
  stopped_until_ = pending_stop_ = Milliseconds{0};
  scene_.agenda.after(time, [this] { start(); });
}

// Ends the controller and its connection to the database. A turn in flight is committed at once,
// later, or never.
void Post::leave_store() {
  controller_.reset();
  if (store_ == nullptr) return;
  SimStore* store = store_.get();
  store->outlive();
  past_stores_.push_back(std::move(store_));
  Random& dice = scene_.faults.dice(Fault::ControllerDies);
  if (dice.one_in(3)) {
    store->finish_late();
  } else if (dice.one_in(2)) {
    scene_.agenda.after(dice.time(1, 6'000), [store] { store->finish_late(); });
  }
}

void Post::is_suspended(Milliseconds time) {
  if (!runs() || is_stopped()) return;
  pending_stop_ = time;
  if (scene_.faults.dice(Fault::ControllerStops).one_in(2)) suspend_now();
}

void Post::suspend_now() {
  const Milliseconds time = std::exchange(pending_stop_, Milliseconds{0});
  log("is stopped for " + std::to_string(time.count()) + " ms");
  stopped_until_ = scene_.agenda.now() + time;
  scene_.agenda.after(time, [this, life = life_] {
    if (life != life_ || !runs()) return;
    log("continues");
    run();
  });
}

void Post::store_goes_away(Milliseconds time) {
  away_until_ = scene_.agenda.now() + time;
  if (store_ != nullptr) store_->go_away(time);
}

void Post::store_comes_back() {
  away_until_ = Milliseconds{0};
  if (store_ != nullptr) store_->come_back();
}

// ---- its turns ---------------------------------------------------------------------------------

void Post::receive(const std::string& from, const Caller& caller, const Message& message) {
  const auto* request = std::get_if<Request>(&message);
  if (scene_.planted == PlantedBug::RefusesWhatItDoes && leads() && store_is_away() &&
      request != nullptr && std::holds_alternative<SubmitJob>(request->body))
    around_.network.send(name_, from,
                         Reply{request->number, Refused{{"the database is away", ""}, true}});
  received_.push_back({from, caller, message});
  run_soon();
}

void Post::run_soon() {
  if (std::exchange(run_due_, true)) return;
  scene_.agenda.after(scene_.random.time(0, 3), [this] {
    run_due_ = false;
    run();
  });
}

void Post::tick() {
  scene_.agenda.after(leader_tick, [this] { tick(); });
  if (!runs() || is_stopped()) return;
  if (controller_ != nullptr) controller_->tick(clock_.now());
  run();
}

void Post::run() {
  if (!runs() || is_stopped() || !send_all()) return;
  if (controller_ != nullptr) turn();
  if (!runs() || is_stopped()) return;
  keep_lease();
  if (controller_ != nullptr) on(LeaderLoop::ControllerStatus{controller_->superseded()});
  on(lease_answer());
}

void Post::turn() {
  const Now now = clock_.now();
  controller_->set_sure(lease_->is_sure(now.boot));
  if (scene_.planted == PlantedBug::BelievesItsClock)
    controller_->know_time_of_day({});
  else if (server_time_)
    controller_->database_time(server_time_->first, server_time_->second);
  for (Heard& one : std::exchange(received_, {}))
    controller_->receive({one.from, one.caller, std::move(one.message)}, now);
  controller_->run(now);
  for (const LogLine& line : controller_->take<LogLine>())
    if (line.level == LogLevel::Warning) log(line.text);
  if (store_->kills_its_controller()) return dies("at a commit");
  for (auto& out : controller_->take<Outgoing>()) to_send_.push_back(std::move(out));
  if (!send_all()) return;
  lease_->set_term(controller_->ready() ? controller_->cluster().term() : Term{});
  check_controller();
}

bool Post::send_all() {
  while (!to_send_.empty()) {
    if (scene_.faults.happens(Fault::ControllerDiesBetween)) {
      dies("between two messages");
      return false;
    }
    if (pending_stop_ > Milliseconds{0}) {
      suspend_now();
      return false;
    }
    around_.network.send(name_, to_send_.front().peer, to_send_.front().message);
    to_send_.pop_front();
  }
  return true;
}

// Lets the judge compare the controller's memory with the committed state, once for each turn and
// each load.
void Post::check_controller() {
  const MemoryTables& tables = around_.database->tables;
  if (!controller_->ready() || !store_->at_rest()) return;
  if (controller_->cluster().term() != tables.term) return;  // a former leader
  const std::pair state{tables.term, tables.turn};
  if (std::exchange(checked_, state) == state) return;
  around_.judge.turn_finished();
  if (!store_lies(scene_.planted)) around_.judge.controller_rests(*controller_);
}

// ---- the lease ---------------------------------------------------------------------------------

void Post::keep_lease() {
  const Boot now = clock_.now().boot;
  if (is_asking_) return;
  if (!lease_->is_due(now)) {
    if (lease_->due_in(now) >= leader_tick || std::exchange(is_waking_, true)) return;
    return scene_.agenda.after(clock_.until(now + lease_->due_in(now)), [this] {
      is_waking_ = false;
      run();
    });
  }
  is_asking_ = true;
  const auto question = lease_->ask(now);
  const std::int64_t number = ++question_;
  scene_.agenda.after(scene_.random.time(1, 15),
                      [this, question, number] { carry_question(question, number); });
}

// Asks the database about the lease. The database handles the query even if the controller dies;
// the answer may be lost.
void Post::carry_question(const LeaderLease::Question& question, std::int64_t number) {
  const auto is_awaited = [this, number] { return runs() && is_asking_ && number == question_; };
  if (store_is_away()) {
    scene_.agenda.after(ask_again, [this, is_awaited] {
      if (!is_awaited()) return;
      is_asking_ = false;
      run_soon();
    });
    return;
  }
  const auto answer = around_.row->ask(name_, question, scene_.agenda.now());
  const MemoryTables& tables = around_.database->tables;
  const LastKnownState known{tables.term, tables.turn, JobId{1}, clock_.now().wall, false, {}};
  Milliseconds delay = scene_.random.time(1, 15);
  if (scene_.faults.happens(Fault::SlowStore))
    delay += scene_.faults.dice(Fault::SlowStore).time(200, 5'000);
  scene_.agenda.after(
      delay, [this, is_awaited, answer, known] { receive_answer(is_awaited(), answer, known); });
}

void Post::receive_answer(bool is_awaited, const LeaderLease::Answer& answer,
                          const LastKnownState& known) {
  if (!is_awaited) return;
  if (is_stopped()) {  // the process is stopped: the answer waits in its socket
    scene_.agenda.after(stopped_until_ - scene_.agenda.now() + Milliseconds{1},
                        [this, number = question_, answer, known] {
                          receive_answer(runs() && is_asking_ && number == question_, answer,
                                         known);
                        });
    return;
  }
  is_asking_ = false;
  server_time_ = {scene_.wall(), clock_.now()};
  if (lease_->answered(answer, clock_.now().boot)) known_ = merged(known_, known);
  run_soon();
}

LeaderLoop::LeaseAnswer Post::lease_answer() const {
  return {lease_->leads(), lease_->has_answer(), lease_->since(), lease_->holder(), "", "", known_};
}

// ---- the actions of the leader loop ------------------------------------------------------------

void Post::on(const LeaderLoop::Event& event) {
  for (const LeaderLoop::Action& action : loop_->on(event, clock_.now().boot))
    std::visit([this](const auto& one) { carry_out(one); }, action);
}

void Post::carry_out(const LeaderLoop::AskLease&) {
  lease_->doubt(clock_.now().boot);
  run_soon();
}

void Post::carry_out(const LeaderLoop::OpenStore& open) {
  // Until a node has registered, the controller also accepts jobs that no node can ever run, and
  // these would wait for ever. So the fault does not come before.
  const bool nodes_are_known = !around_.database->tables.nodes.empty();
  if (store_is_away() || (nodes_are_known && scene_.faults.happens(Fault::StoreRefusesLeader))) {
    log("cannot open the store");
    return on(LeaderLoop::StoreRefused{{"the simulator refuses it", ""}});
  }
  store_ = std::make_unique<SimStore>(scene_, around_.judge, around_.database, open.known,
                                      [this] { run_soon(); });
  on(LeaderLoop::StoreOpened{});
}

void Post::carry_out(const LeaderLoop::CloseStore&) {
  store_.reset();
}

void Post::carry_out(const LeaderLoop::CheckDatabase&) {
  on(LeaderLoop::DatabaseChecked{store_is_away()});
}

void Post::carry_out(const LeaderLoop::Start&) {
  controller_ = std::make_unique<Controller>(around_.config, *store_);
  controller_->know_time_of_day(time_of_day_);
  log("leads");
  controller_->start(clock_.now());
  run_soon();
}

void Post::carry_out(const LeaderLoop::Stop&) {
  log("leads no longer");
  controller_->set_sure(lease_->since() == loop_->since() && lease_->is_sure(clock_.now().boot));
  const LeaderLoop::ControllerStopped stopped{
      controller_->superseded(), controller_->database_regressed(), controller_->known()};
  time_of_day_ = controller_->cluster().soft().time_of_day;
  leave_store();
  lease_->set_term(Term{});
  on(stopped);
}

void Post::carry_out(const LeaderLoop::RefuseAll& refuse) {
  for (const Heard& one : std::exchange(received_, {}))
    around_.network.send(name_, one.from,
                         NotLeader{refuse.leader, number_of({one.message}), refuse.hindrance});
}

void Post::carry_out(const LeaderLoop::Resign&) {
  if (!store_is_away()) around_.row->resign(name_, scene_.agenda.now());
}

void Post::carry_out(const LeaderLoop::Exit& exit) {
  if (exit.failed) return dies("it cannot lead");
  go_away(scene_.faults.dice(Fault::ControllerEnds).time(50, 10'000));
}

void Post::carry_out(const LeaderLoop::Log& line) {
  if (line.level != LeaderLoop::Level::Info) log(line.text);
}

}  // namespace cox::sim
