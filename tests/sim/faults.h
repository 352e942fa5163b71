// Everything that can go wrong, by name: one table says what each fault does, how it comes and how
// often. A seed has some of them in use, at rates of its own; ./dev sim --only-fault and
// --without-fault choose others.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/random.h"

namespace cox::sim {

enum class Fault : std::uint8_t {
  Loss,
  Delay,
  Duplication,
  Reordering,
  OneWayLoss,
  NodeCutOff,
  Halves,
  ControllerCutOff,
  SlowStore,
  StoreAway,
  LostCommit,
  AmbiguousCommit,
  RefusedTurn,
  ControllerDies,
  ControllerDiesBetween,
  ControllerStops,
  ControllerEnds,
  WorkerDies,
  WorkerDiesBetween,
  WorkerStops,
  SupervisorDies,
  SupervisorDiesBetween,
  SupervisorUnheard,
  NodeReboots,
  WallClockJumps,
  BootClocksDrift,
  SlowDisk,
  FullDisk,
  SaveFails,
  DamagedCheckpoint,
  RankCannotStart,
  IgnoredSignals,
  DatabaseRestored,
  SitePrograms,
  StoreRefusesLeader,
};

enum class Comes : std::uint8_t {
  EachTime,  // at each chance, so often in ten thousand
  Strikes,   // now and then, as the weather has it
  AllAlong,  // it is so in the whole story, or not
  Once,      // in some stories, at one moment that is planned when the story begins
};

struct FaultRow {
  Fault fault;
  std::string_view name;
  Comes comes;
  // EachTime: in ten thousand, a seed has something between. Else unused.
  std::int64_t rate_low;
  std::int64_t rate_high;
  std::string_view what;
};

inline constexpr auto fault_table = [] {
  using enum Fault;
  using enum Comes;
  return std::to_array<FaultRow>({
      {Loss, "loss", EachTime, 50, 1200, "a message is lost"},
      {Delay, "delay", EachTime, 50, 600, "a message takes seconds"},
      {Duplication, "duplication", EachTime, 50, 600, "a message comes twice"},
      {Reordering, "reordering", EachTime, 200, 5000, "a message overtakes those before it"},
      {OneWayLoss, "one-way-loss", Strikes, 0, 0, "a node hears and is not heard, or otherwise"},
      {NodeCutOff, "node-cut-off", Strikes, 0, 0, "nothing reaches a node, or comes from it"},
      {Halves, "halves", Strikes, 0, 0, "some places cannot talk to the others"},
      {ControllerCutOff, "controller-cut-off", Strikes, 0, 0, "a controller loses some nodes"},
      {SlowStore, "slow-store", EachTime, 20, 150, "a commit takes seconds"},
      {StoreAway, "store-away", Strikes, 0, 0, "the database does not answer for a while"},
      {LostCommit, "lost-commit", EachTime, 10, 80, "the connection dies before the commit"},
      {AmbiguousCommit, "ambiguous-commit", EachTime, 10, 80,
       "it has happened, and the connection dies before that is said"},
      {RefusedTurn, "refused-turn", EachTime, 10, 100, "the database refuses the rows of a turn"},
      {ControllerDies, "controller-dies", Strikes, 0, 0, "kill -9, whatever it does"},
      {ControllerDiesBetween, "controller-dies-between", EachTime, 5, 60,
       "... between two of its effects: messages and commits"},
      {ControllerStops, "controller-stops", Strikes, 0, 0,
       "SIGSTOP, at once or between two messages, and after a while SIGCONT"},
      {ControllerEnds, "controller-ends", Strikes, 0, 0, "it is asked to end, and comes back"},
      {WorkerDies, "worker-dies", Strikes, 0, 0, "kill -9, whatever it does"},
      {WorkerDiesBetween, "worker-dies-between", EachTime, 7, 100,
       "... between two of its effects: messages and orders to supervisors"},
      {WorkerStops, "worker-stops", Strikes, 0, 0, "SIGSTOP, and after a while SIGCONT"},
      {SupervisorDies, "supervisor-dies", Strikes, 0, 0, "kill -9, and its ranks with it"},
      {SupervisorDiesBetween, "supervisor-dies-between", EachTime, 7, 100,
       "... between two of its actions"},
      {SupervisorUnheard, "supervisor-unheard", EachTime, 10, 100,
       "an order is lost with the socket of a supervisor"},
      {NodeReboots, "node-reboots", Strikes, 0, 0, "only its disk is left, its boot id is new"},
      {WallClockJumps, "wall-clock-jumps", Strikes, 0, 0, "a host's time of day is another"},
      {BootClocksDrift, "boot-clocks-drift", AllAlong, 0, 0,
       "boot clocks run faster and slower, within the bound"},
      {SlowDisk, "slow-disk", EachTime, 50, 600,
       "a node prepares, or a checkpoint is sealed, late"},
      {FullDisk, "full-disk", EachTime, 50, 600, "a node cannot prepare: its disk is full"},
      {SaveFails, "save-fails", EachTime, 50, 600, "a checkpoint cannot be flushed"},
      {DamagedCheckpoint, "damaged-checkpoint", Strikes, 0, 0, "a saved file is not what it was"},
      {RankCannotStart, "rank-cannot-start", EachTime, 10, 50, "a rank's program cannot be run"},
      {IgnoredSignals, "ignored-signals", AllAlong, 0, 0, "some jobs ignore every signal they can"},
      {DatabaseRestored, "database-restored", Once, 0, 0,
       "a person stops all controllers and puts an older copy of the database back"},
      {SitePrograms, "site-programs", EachTime, 50, 600,
       "a node has a prolog and an epilog for an attempt: they take seconds, and may fail"},
      {StoreRefusesLeader, "store-refuses-leader", EachTime, 500, 5000,
       "a controller that is about to lead cannot open the database"},
  });
}();

inline constexpr std::size_t fault_count = fault_table.size();

std::string_view name(Fault fault);
std::optional<Fault> fault_from(std::string_view name);

// Which faults there may be: all, or these only, but for those.
struct FaultChoice {
  std::set<Fault> only;
  std::set<Fault> without;

  bool has(Fault fault) const {
    return (only.empty() || only.contains(fault)) && !without.contains(fault);
  }
};

class Faults {
 public:
  Faults(std::uint64_t seed, const FaultChoice& choice);

  // Of one that comes each time: whether it does now. Told to `seen`.
  bool happens(Fault fault);
  // Of the others: whether the story has it.
  bool in_use(Fault fault) const { return active_ && row(fault).in_use; }
  // ... and it has just come.
  void note(Fault fault) const {
    if (seen) seen(fault);
  }
  // Its own chance: how long it lasts, whom it meets.
  Random& dice(Fault fault) { return rows_[static_cast<std::size_t>(fault)].dice; }

  bool active() const { return active_; }
  void end() { active_ = false; }
  std::vector<Fault> all_in_use() const;
  // Of which one strikes at a time: all, in use or not, so that leaving one out changes nothing
  // else; or those that were asked for, which come the more often.
  const std::vector<Fault>& strokes() const { return strokes_; }
  std::function<void(Fault)> seen;  // each that comes

 private:
  struct Row {
    Random dice{0};
    bool in_use = false;
    std::int64_t rate = 0;  // in ten thousand
  };

  const Row& row(Fault fault) const { return rows_[static_cast<std::size_t>(fault)]; }

  bool active_ = true;
  std::vector<Row> rows_;
  std::vector<Fault> strokes_;
};

}  // namespace cox::sim
