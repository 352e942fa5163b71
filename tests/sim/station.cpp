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

// Of what a leader tells a worker.
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
  line_ = std::make_unique<Line>(scene_, network_, end(), controllers_);
  say("worker starts");
  run();
}

void Station::worker_dies(const std::string& why) {
  if (worker_ == nullptr) return;
  say("worker dies: " + why);
  machine_.worker_dies();
  worker_.reset();
  line_.reset();
  stands_until_ = Milliseconds{0};
  unheard_.clear();
  Random& dice = scene_.faults.dice(Fault::WorkerDies);
  scene_.agenda.after(dice.time(50, dice.one_in(5) ? 40'000 : 3'000), [this] { start_worker(); });
}

void Station::worker_stops(Milliseconds time) {
  if (worker_ == nullptr || stands()) return;
  say("worker stands still for " + std::to_string(time.count()) + " ms");
  stands_until_ = scene_.agenda.now() + time;
  scene_.agenda.after(time, [this] {
    if (worker_ == nullptr || stands()) return;
    for (const auto& [from, message] : std::exchange(unheard_, {}))
      if (worker_ != nullptr) receive(from, message);
    run();
  });
}

void Station::reboot() {
  machine_.reboot();
  booted_ = scene_.agenda.now();
  worker_dies("the node reboots");
}

void Station::set_wall_off_by(Milliseconds off) {
  say("its time of day is wrong by " + std::to_string(off.count() / 1000) + " s");
  machine_.set_wall_off_by(off);
}

void Station::receive(const std::string& from, const Message& message) {
  if (stands()) {
    unheard_.push_back({from, message});
    return;
  }
  for (Message& heard : line_->take(from, message)) {
    const std::optional<Term> term = term_of(heard);
    machine_.commanded_by(term);
    if (term) newest_term_ = std::max(newest_term_, *term);
    if (scene_.planted == PlantedBug::ObeysLowerTerms) raise_term(heard, newest_term_);
    worker_->receive(heard, machine_.now());
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

// Takes in what supervisors said, and sends: any effect may be its last.
void Station::run() {
  if (worker_ == nullptr || stands()) return;
  worker_->run(machine_.now());
  std::vector<Message> said;
  bool dies = false;
  for (auto& message : worker_->take_outgoing()) {
    dies = dies || machine_.worker_is_doomed() || scene_.faults.happens(Fault::WorkerDiesBetween);
    if (!dies) said.push_back(std::move(message));
  }
  if (!said.empty()) line_->say(said);
  if (dies && !machine_.worker_is_doomed()) return worker_dies("between two messages");
  if (machine_.worker_is_doomed()) worker_dies("between two effects");
}

void Station::tick() {
  scene_.agenda.after(Milliseconds{500}, [this] { tick(); });
  if (worker_ == nullptr || stands()) return;
  worker_->run(machine_.now());
  worker_->tick(machine_.now());
  run();
}

}  // namespace cox::sim
