// What every part of the simulator shares: one seed's randomness, virtual time, the story so far,
// how much goes wrong, and which bug (if any) was planted to see whether the simulator bites.
#pragma once

#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "common/time.h"

namespace cox::sim {

// Only the engine is the standard library's: its distributions differ from one to the next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return n > 0 && below(n) == 0; }
  bool per_mille(std::int64_t n) { return n > 0 && below(1000) < n; }
  Milliseconds time(std::int64_t low_ms, std::int64_t high_ms) {
    return Milliseconds{between(low_ms, high_ms)};
  }

 private:
  std::mt19937_64 engine_;
};

// Virtual time: what is to happen, by (time, order of asking).
class Agenda {
 public:
  Milliseconds now() const { return now_; }

  void after(Milliseconds delay, std::function<void()> what) {
    entries_.emplace(std::pair(now_ + std::max(delay, Milliseconds{0}), ++asked_), std::move(what));
  }

  void run_next() {
    auto next = entries_.extract(entries_.begin());
    now_ = next.key().first;
    next.mapped()();
  }

 private:
  Milliseconds now_{0};
  std::int64_t asked_ = 0;
  std::map<std::pair<Milliseconds, std::int64_t>, std::function<void()>> entries_;
};

// The last lines of what happened, and the first violation.
class Story {
 public:
  Story(std::uint64_t seed, const Agenda& agenda, bool whole);
  ~Story();

  void say(const std::string& who, const std::string& what);
  void violated(const std::string& what);
  bool is_violated() const { return !violation_.empty(); }
  const std::string& violation() const { return violation_; }
  std::string text() const;  // seed, violation, the lines, and the command that repeats it

 private:
  std::uint64_t seed_;
  const Agenda& agenda_;
  bool whole_;
  std::string violation_;
  std::deque<std::string> lines_;
};

enum class PlantedBug {
  None,
  GoesHoweverLate,     // a worker that lets a lone attempt go, whatever it has said since
  FreezesInWordsOnly,  // a launcher that says its ranks stand still, and lets them run
  GoesUnasked,         // a launcher that starts ranks as soon as its own node is ready
  LeaseNeverEnds,      // supervisors that never stop by themselves
  ForgetsLastCommit,   // a store that says "committed" before it is true
  CountsUsageTwice,    // a store that adds what was used once more when a job is requeued
  ForgetsLimits,       // a store that now and then reads tiers without their limits
  NeverCloses,         // a controller that knows nothing of partitions' hours
  ForgetsWaits,        // a store that loads jobs that depend on others as if they did not
  WaitsForNobody,      // a store that loads them as if they depended on who never ends
  ReleasesTwice,       // a store that loads who was released as if he waited still
};
// Then memory is no copy of what is committed.
constexpr bool store_lies(PlantedBug bug) {
  return bug == PlantedBug::ForgetsLastCommit || bug == PlantedBug::ForgetsWaits ||
         bug == PlantedBug::WaitsForNobody || bug == PlantedBug::ReleasesTwice;
}

// Rates differ from seed to seed, and some are zero: a fault may hide another.
struct Faults {
  bool active = true;
  std::int64_t loss_per_mille = 0;
  std::int64_t duplicate_per_mille = 0;
  std::int64_t slow_per_mille = 0;
  std::int64_t controller_crash_one_in = 0;  // before each message it sends
  std::int64_t worker_crash_one_in = 0;      // before each effect and each message
  std::int64_t supervisor_kill_one_in = 0;   // before each action
  std::int64_t seal_failure_per_mille = 0;
  std::int64_t prepare_failure_per_mille = 0;
  std::int64_t prepare_slow_per_mille = 0;
  std::int64_t rejected_turn_per_mille = 0;

  static Faults random(Random& random);
  static Faults none() {
    Faults faults;
    faults.active = false;
    return faults;
  }
};

struct Scene {
  Scene(std::uint64_t seed, PlantedBug planted_bug, bool whole_story)
      : random(seed), story(seed, agenda, whole_story), planted(planted_bug) {}

  Wall wall() const { return wall_from_ms(1'800'000'000'000 + agenda.now().count()); }

  Random random;
  Agenda agenda;
  Story story;
  Faults faults;
  PlantedBug planted;
};

}  // namespace cox::sim
