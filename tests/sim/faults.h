// All faults, by name. One table says what each fault does, how it comes and how often. A seed uses
// some of them, at rates of its own; ./dev sim --only-fault and --without-fault choose others.
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
  SupervisorSilent,
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
  UnreadableCheckpoint,
  SpoolChanges,
  ClockStepsYears,
};

enum class Comes : std::uint8_t {
  EachTime,  // drawn at each opportunity, such as each message, with a probability of RATE/10,000
  Strikes,   // at random times, when weather.cpp picks it
  AllAlong,  // throughout the run of a seed, or not at all
  Once,      // in some seeds, once, at a moment that is planned when the run begins
};

struct FaultRow {
  Fault fault;
  std::string_view name;
  Comes comes;
  // For EachTime: the bounds, in 1/10,000, between which each seed draws the fault's probability.
  // Unused for other kinds.
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
      {OneWayLoss, "one-way-loss", Strikes, 0, 0, "messages to a node, or those from it, are lost"},
      {NodeCutOff, "node-cut-off", Strikes, 0, 0, "nothing reaches a node, or comes from it"},
      {Halves, "halves", Strikes, 0, 0, "some places cannot reach the others"},
      {ControllerCutOff, "controller-cut-off", Strikes, 0, 0, "a controller loses some nodes"},
      {SlowStore, "slow-store", EachTime, 20, 150, "a commit takes seconds"},
      {StoreAway, "store-away", Strikes, 0, 0, "the database does not answer for a while"},
      {LostCommit, "lost-commit", EachTime, 10, 80, "the connection dies before the commit"},
      {AmbiguousCommit, "ambiguous-commit", EachTime, 10, 80,
       "the connection dies after the commit, before its reply"},
      {RefusedTurn, "refused-turn", EachTime, 10, 100, "the database refuses the rows of a turn"},
      {ControllerDies, "controller-dies", Strikes, 0, 0, "kill -9 at any moment"},
      {ControllerDiesBetween, "controller-dies-between", EachTime, 5, 60,
       "kill -9 between two of its effects: messages and commits"},
      {ControllerStops, "controller-stops", Strikes, 0, 0,
       "SIGSTOP, at once or between two messages, and after a while SIGCONT"},
      {ControllerEnds, "controller-ends", Strikes, 0, 0,
       "it is stopped in order, and starts again"},
      {WorkerDies, "worker-dies", Strikes, 0, 0, "kill -9 at any moment"},
      {WorkerDiesBetween, "worker-dies-between", EachTime, 7, 100,
       "kill -9 between two of its effects: messages and orders to supervisors"},
      {WorkerStops, "worker-stops", Strikes, 0, 0, "SIGSTOP, and after a while SIGCONT"},
      {SupervisorDies, "supervisor-dies", Strikes, 0, 0, "kill -9 of a supervisor and its ranks"},
      {SupervisorDiesBetween, "supervisor-dies-between", EachTime, 7, 100,
       "kill -9 between two of its actions"},
      {SupervisorSilent, "supervisor-silent", EachTime, 10, 100,
       "an order is lost with the socket of a supervisor"},
      {NodeReboots, "node-reboots", Strikes, 0, 0, "only its disk is left, its boot id is new"},
      {WallClockJumps, "wall-clock-jumps", Strikes, 0, 0, "the time of day of a host jumps"},
      {BootClocksDrift, "boot-clocks-drift", AllAlong, 0, 0,
       "boot clocks run faster and slower, within the bound"},
      {SlowDisk, "slow-disk", EachTime, 50, 600,
       "a node prepares late, or a checkpoint is sealed late"},
      {FullDisk, "full-disk", EachTime, 50, 600, "a node cannot prepare: its disk is full"},
      {SaveFails, "save-fails", EachTime, 50, 600, "a checkpoint cannot be flushed"},
      {DamagedCheckpoint, "damaged-checkpoint", Strikes, 0, 0, "a saved file is damaged"},
      {RankCannotStart, "rank-cannot-start", EachTime, 10, 50, "a rank's program cannot be run"},
      {IgnoredSignals, "ignored-signals", AllAlong, 0, 0, "some jobs ignore every signal they can"},
      {DatabaseRestored, "database-restored", Once, 0, 0,
       "a person stops all controllers and puts an older copy of the database back"},
      {SitePrograms, "site-programs", EachTime, 50, 600,
       "a node has a prolog and an epilog for an attempt: they take seconds, and may fail"},
      {StoreRefusesLeader, "store-refuses-leader", EachTime, 500, 5000,
       "a controller that is about to lead cannot open the database"},
      {UnreadableCheckpoint, "unreadable-checkpoint", EachTime, 50, 600,
       "a saved file cannot be read for a moment"},
      {SpoolChanges, "spool-changes", Strikes, 0, 0,
       "a worker starts with an empty spool folder; what runs there goes on without it"},
      {ClockStepsYears, "clock-steps-years", Once, 0, 0,
       "the time of day of a controller's host steps by years, and is put right later"},
  });
}();

inline constexpr std::size_t fault_count = fault_table.size();

std::string_view name(Fault fault);
std::optional<Fault> fault_from(std::string_view name);

// The faults that may be used: those of `only`, or all if it is empty, except those of `without`.
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

  // Decides whether a fault of kind EachTime happens now. If so, calls `seen`.
  bool happens(Fault fault);
  // For kinds other than EachTime: returns whether this seed uses the fault and faults have not
  // ended.
  bool in_use(Fault fault) const { return active_ && row(fault).in_use; }
  // Reports to `seen` that the fault has just come. For a fault of kind EachTime, happens() does
  // this.
  void note(Fault fault) const {
    if (seen) seen(fault);
  }
  // The fault's own random stream, which decides how long the fault lasts and what it hits.
  Random& dice(Fault fault) { return rows_[static_cast<std::size_t>(fault)].dice; }

  bool active() const { return active_; }
  void end() { active_ = false; }
  std::vector<Fault> all_in_use() const;
  // The faults from which the weather (weather.cpp) picks one at a time. They include faults that
  // this seed does not use, whose pick does nothing, so that leaving one out changes nothing else.
  // With --only-fault they are only the chosen faults, which then strike more often.
  const std::vector<Fault>& strokes() const { return strokes_; }
  std::function<void(Fault)> seen;  // called for each fault that comes

 private:
  struct Row {
    Random dice{0};
    bool in_use = false;
    std::int64_t rate = 0;  // in 1/10,000
  };

  const Row& row(Fault fault) const { return rows_[static_cast<std::size_t>(fault)]; }

  bool active_ = true;
  std::vector<Row> rows_;
  std::vector<Fault> strokes_;
};

}  // namespace cox::sim
