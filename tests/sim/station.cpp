#include "tests/sim/station.h"

#include <algorithm>
#include <concepts>
#include <utility>

namespace cox::sim {
namespace {

template <class M>
concept BearsTerm = requires(const M& m) {
  { m.term } -> std::convertible_to<Term>;
};

// Returns the term of a leader's message to a worker; nothing for other messages.
std::optional<Term> term_of(const Message& message) {
  return std::visit(
      [](const auto& m) -> std::optional<Term> {
        if constexpr (BearsTerm<std::decay_t<decltype(m)>>) return m.term;
        return std::nullopt;
      },
      message);
}

void raise_term(Message& message, Term to) {
  std::visit(
      [to](auto& m) {
        if constexpr (BearsTerm<std::decay_t<decltype(m)>>) m.term = to;
      },
      message);
}

}  // namespace

Station::Station(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Network& network,
                 Node node, std::size_t controllers)
    : scene_(scene),
      network_(network),
      machine_(scene, judge, storage, shared, std::move(node), [this] { run_soon(); }),
      controllers_(controllers) {}

std::string Station::end() const {
  return "worker-" + name() + "#" + std::to_string(session_);
}

void Station::begin(Milliseconds first) {
  scene_.agenda.after(first, [this] {
    start_worker();
    tick();
  });
}

void Station::start_worker() {
  session_ += 1;
  machine_.worker_starts();
  worker_ =
      std::make_unique<Worker>(machine_.node(), std::to_string(session_), true, machine_, machine_);
  connection_ = std::make_unique<LeaderConnection>(scene_, network_, end(), controllers_);
  log("worker starts");
  run();
}

void Station::worker_dies(const std::string& why) {
  if (worker_ == nullptr) return;
  log("worker dies: " + why);
  machine_.worker_dies();
  worker_.reset();
  connection_.reset();
  stopped_until_ = Milliseconds{0};
  waiting_.clear();
  Random& dice = scene_.faults.dice(Fault::WorkerDies);
  scene_.agenda.after(dice.time(50, dice.one_in(5) ? 40'000 : 3'000), [this] { start_worker(); });
}

void Station::worker_stops(Milliseconds time) {
  if (worker_ == nullptr || is_stopped()) return;
  log("worker is stopped for " + std::to_string(time.count()) + " ms");
  stopped_until_ = scene_.agenda.now() + time;
  scene_.agenda.after(time, [this] {
    if (worker_ == nullptr || is_stopped()) return;
    for (const auto& [from, message] : std::exchange(waiting_, {}))
      if (worker_ != nullptr) receive(from, message);
    run();
  });
}

void Station::reboot() {
  machine_.reboot();
  booted_ = scene_.agenda.now();
  worker_dies("the node reboots");
}

void Station::change_spool() {
  machine_.change_spool();
  worker_dies("its spool folder is another one now");
}

void Station::set_wall_off_by(Milliseconds off) {
  log("its time of day is wrong by " + std::to_string(off.count() / 1000) + " s");
  machine_.set_wall_off_by(off);
}

void Station::receive(const std::string& from, const Message& message) {
  if (is_stopped()) {
    waiting_.push_back({from, message});
    return;
  }
  for (Message& accepted : connection_->take(from, message)) {
    const std::optional<Term> term = term_of(accepted);
    machine_.commanded_by(term);
    if (term) newest_term_ = std::max(newest_term_, *term);
    if (scene_.planted == PlantedBug::ObeysLowerTerms) raise_term(accepted, newest_term_);
    worker_->receive(accepted, machine_.now());
    machine_.commanded_by(std::nullopt);
  }
  run();
}

void Station::run_soon() {
  if (std::exchange(run_due_, true)) return;
  scene_.agenda.after(scene_.random.time(0, 3), [this] {
    run_due_ = false;
    run();
  });
}

// Handles the supervisors' reports and sends messages. The worker may die at any of these effects.
void Station::run() {
  if (worker_ == nullptr || is_stopped()) return;
  worker_->run(machine_.now());
  std::vector<Message> outgoing;
  bool dies = false;
  for (auto& message : worker_->take_outgoing()) {
    dies = dies || machine_.worker_is_doomed() || scene_.faults.happens(Fault::WorkerDiesBetween);
    if (!dies) outgoing.push_back(std::move(message));
  }
  if (!outgoing.empty()) connection_->send_to_leader(outgoing);
  if (dies && !machine_.worker_is_doomed()) return worker_dies("between two messages");
  if (machine_.worker_is_doomed()) worker_dies("between two effects");
}

void Station::tick() {
  scene_.agenda.after(Milliseconds{500}, [this] { tick(); });
  if (worker_ == nullptr || is_stopped()) return;
  worker_->run(machine_.now());
  worker_->tick(machine_.now());
  run();
}

}  // namespace cox::sim
