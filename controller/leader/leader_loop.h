// The loop by which one controller of several becomes and stays leader: it stands by, opens the
// store when it has the lease, leads, and stands by again when another controller leads.
// LeaderLease (controller/leader/leader_lease.h) decides when to query the lease; the loop decides
// what follows from an answer. Pure: its host (controller/io/leader_host.cpp,
// tests/sim/post.cpp) passes each event to it and carries out the resulting actions, all of them
// and in order, before the next event.
//
//   StandingBy ─ it has the lease ─▶ Opening ─ opened ─▶ Confirming ─ still the same ─▶ Leading
//                                                                       leadership
//   Opening ──── the database refuses to be opened ────▶ Refused
//   Refused ──── after 1 s, unless it was the third refusal in a row ─▶ StandingBy
//   Confirming ─ it has the lease by another leadership ─▶ StandingBy
//   Leading ──── superseded, or the lease is lost ─▶ Stop ─▶ StandingBy
//   any state ── asked to end, refused three times, or superseded within one leadership ─▶ Ended
//
// Opening the store may take longer than the lease. So the loop queries the lease again before it
// leads.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/change/recovery.h"

namespace cox {

// How often the leader's clock ticks (Controller::tick).
inline constexpr Milliseconds leader_tick{250};

class LeaderLoop {
 public:
  enum class State { StandingBy, Opening, Refused, Confirming, Leading, Ended };

  // ---- events

  // What the database's last answer says about the lease. The host passes it in every round, new or
  // not.
  struct LeaseAnswer {
    bool leads = false;
    bool has_answer =
        false;              // false: no answer counts yet, so this controller may lead in a moment
    std::string since;      // identifies the leadership: when its holder became leader
    std::string holder;     // the controller that leads
    std::string hindrance;  // why this controller may not take the lease; empty: it may
    std::string trouble;    // why the database does not answer; empty: it answers
    LastKnownState known;   // the newest committed state that the answers have shown
  };
  struct StoreOpened {};
  struct StoreRefused {
    Refusal why;
  };
  struct DatabaseChecked {
    bool is_away = false;
  };
  // The state of this controller while it leads. The host passes it in every round.
  struct ControllerStatus {
    bool is_superseded = false;
  };
  struct ControllerStopped {
    bool is_superseded = false;
    // The database has gone back in time: it may have lost committed turns.
    bool database_regressed = false;
    LastKnownState known;
  };
  struct EndRequested {
    bool restarts = false;  // the program restarts
  };
  using Event = std::variant<LeaseAnswer, StoreOpened, StoreRefused, DatabaseChecked,
                             ControllerStatus, ControllerStopped, EndRequested>;

  // ---- actions

  // Query the lease at once; answers to earlier queries do not count (LeaderLease::doubt).
  struct AskLease {};
  struct OpenStore {  // open the store; the event StoreOpened or StoreRefused follows
    LastKnownState known;
  };
  struct CloseStore {};     // without having led
  struct CheckDatabase {};  // DatabaseChecked follows
  struct Start {};          // start the controller on the store that is open
  struct Stop {  // stop the controller and close its store; the event ControllerStopped follows
    bool in_order = false;  // first finish the turn in flight
  };
  struct RefuseAll {  // refuse every message that has arrived, and name the leader
    std::string leader;
    std::string hindrance;
  };
  struct Resign {};  // give the lease back
  struct Exit {
    bool failed = false;
    bool restarts = false;
  };
  enum class Level { Info, Warning, Error };
  struct Log {
    Level level = Level::Info;
    std::string text;
  };
  using Action = std::variant<AskLease, OpenStore, CloseStore, CheckDatabase, Start, Stop,
                              RefuseAll, Resign, Exit, Log>;
  using Actions = std::vector<Action>;

  // `known`: the newest committed state that this process knows before it has led.
  explicit LeaderLoop(LastKnownState known) : known_(std::move(known)) {}

  Actions on(const Event& event, Boot now);

  State state() const { return state_; }
  // Returns when the host must pass the next LeaseAnswer at the latest. Only in state Refused.
  std::optional<Boot> wake_at() const;
  // Returns the LeaseAnswer::since of the leadership that this controller has, or had last.
  const std::string& since() const { return since_; }

 private:
  void take(const LeaseAnswer& lease, Boot now);
  void take(const StoreOpened& event, Boot now);
  void take(const StoreRefused& refused, Boot now);
  void take(const DatabaseChecked& database, Boot now);
  void take(const ControllerStatus& status, Boot now);
  void take(const ControllerStopped& stopped, Boot now);
  void take(const EndRequested& asked, Boot now);

  void stand_by();
  void wait_for_lead(const LeaseAnswer& lease);
  void log_standing(const LeaseAnswer& lease);
  void open(const LeaseAnswer& lease);
  void wait_refused(Boot now);
  void log_refused();
  void confirm(const LeaseAnswer& lease);
  void end_as_asked();
  void fail();
  void act(Action action) { actions_.push_back(std::move(action)); }
  void log(Level level, std::string text) { act(Log{level, std::move(text)}); }

  State state_ = State::StandingBy;
  Actions actions_;       // the actions that follow from the event that is being handled
  LastKnownState known_;  // the newest committed state when this controller last stopped leading
  std::string since_;  // LeaseAnswer::since of the leadership that this controller has, or had last
  // That leadership ended because the database had fenced this controller.
  bool is_superseded_ = false;
  int refusals_ = 0;  // how many times in a row a database that answers has refused to be opened
  Refusal refusal_;   // the last one
  Boot retry_at_{};   // after a refusal
  std::string standing_;  // the last text that this standby has logged
  std::optional<EndRequested> end_asked_;
};

}  // namespace cox
