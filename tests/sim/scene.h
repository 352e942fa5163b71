// What every part of the simulator shares: the random streams of the seed, virtual time, the log of
// the run (its story), the faults, and the planted bug, if any.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "common/base/time.h"
#include "tests/sim/random.h"
#include "tests/sim/setting.h"

namespace cox::sim {

// Virtual time, and the actions planned in it, ordered by time and then by the order of planning.
class Agenda {
 public:
  Milliseconds now() const { return now_; }

  void after(Milliseconds delay, std::function<void()> what) {
    entries_.emplace(std::pair(now_ + std::max(delay, Milliseconds{0}), ++last_number_),
                     std::move(what));
  }

  void run_next() {
    auto next = entries_.extract(entries_.begin());
    now_ = next.key().first;
    next.mapped()();
  }

 private:
  Milliseconds now_{0};
  std::int64_t last_number_ = 0;
  std::map<std::pair<Milliseconds, std::int64_t>, std::function<void()>> entries_;
};

// The log of one seed's run: its last lines, and the first violation.
class Story {
 public:
  Story(const Setting& setting, const Agenda& agenda);
  ~Story();

  void log(const std::string& who, const std::string& what);
  void violated(const std::string& what);
  bool is_violated() const { return !violation_.empty(); }
  const std::string& violation() const { return violation_; }
  std::uint64_t digest() const { return digest_; }  // a hash of all lines of the log
  std::string text() const;  // seed, violation, the lines, and the command that repeats it

 private:
  const Setting& setting_;
  const Agenda& agenda_;
  std::string violation_;
  std::deque<std::string> lines_;
  std::uint64_t digest_ = 0;
};

struct Scene {
  explicit Scene(const Setting& played)
      : setting(played),
        random(played.seed, 0),
        people(played.seed, 1),
        story(setting, agenda),
        faults(played.seed, played.faults),
        planted(played.planted) {}

  Wall wall() const { return wall_from_ms(1'800'000'000'000 + agenda.now().count()); }
  // Returns whether a clock that shows `at` now was made wrong by Fault::ClockStepsYears.
  bool is_years_off(Wall at) const {
    return std::chrono::abs(at - wall()) > std::chrono::hours{24 * 300};
  }

  const Setting setting;
  Random random;  // durations
  Random people;  // random stream for the requests of administrators and users
  Agenda agenda;
  Story story;
  Faults faults;
  PlantedBug planted;
};

}  // namespace cox::sim
