// What one controller of several does about the leadership: it stands by, opens the store when it
// has the lease, leads, and stands by again when another controller leads. LeaderLease
// (controller/leader/leader_lease.h) decides when to ask for the lease; the loop decides what
// follows from an answer. Pure: its host (controller/main.cpp, tests/sim/post.cpp) hands over each
// event and carries out the actions it gets, all of them and in their order, before the next event.
//
//   StandingBy ─ it has the lease ─▶ Opening ─ opened ─▶ Confirming ─ still the same ─▶ Leading
//                                                                       leadership
//   Opening ──── the database refuses to be opened ────▶ Refused
//   Refused ──── after 1 s, unless it was the third refusal in a row ─▶ StandingBy
//   Confirming ─ it has the lease by another leadership ─▶ StandingBy
//   Leading ──── superseded, or the lease is lost ─▶ Stop ─▶ StandingBy
//   any state ── asked to end, refused three times, or superseded within one leadership ─▶ Ended
//
// Opening may take longer than the lease. So the loop asks for the lease again before it leads.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/change/recovery.h"

namespace cox {

// A controller that leads ticks this often (Controller::tick).
inline constexpr Milliseconds leader_tick{250};

class LeaderLoop {
 public:
  enum class State { StandingBy, Opening, Refused, Confirming, Leading, Ended };

  // ---- events

  // What is known of the lease. The host hands it over in every round, new or not.
  struct LeaseAnswer {
    bool leads = false;
    bool knows = false;     // false: no answer counts yet, so this controller may lead in a moment
    std::string since;      // names the leadership: when its holder took the lead
    std::string holder;     // the controller that leads
    std::string hindrance;  // why this controller may not take the lease; empty: it may
    std::string trouble;    // why the database does not answer; empty: it answers
    LastKnownState known;   // what the answers have shown to be true
  };
  struct StoreOpened {};
  struct StoreRefused {
    Refusal why;
  };
  struct DatabaseChecked {
    bool is_away = false;
  };
  // Of the controller that leads, in every round.
  struct ControllerStatus {
    bool is_superseded = false;
  };
  struct ControllerStopped {
    bool is_superseded = false;
    bool database_regressed = false;  // the database may have lost what was true
    LastKnownState known;
  };
  struct EndAsked {
    bool restarts = false;  // the program shall start anew
  };
  using Event = std::variant<LeaseAnswer, StoreOpened, StoreRefused, DatabaseChecked,
                             ControllerStatus, ControllerStopped, EndAsked>;

  // ---- actions

  struct AskLease {};  // at once; no answer to an earlier question counts (LeaderLease::doubt)
  struct OpenStore {   // StoreOpened or StoreRefused follows
    LastKnownState known;
  };
  struct CloseStore {};     // without having led
  struct CheckDatabase {};  // DatabaseChecked follows
  struct Start {};          // the controller, on the store that is open
  struct Stop {             // the controller, and close its store; ControllerStopped follows
    bool in_order = false;  // finish the turn in flight
  };
  struct RefuseAll {  // every message that has arrived
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

  // `known`: what is known to be true before any leadership.
  explicit LeaderLoop(LastKnownState known) : known_(std::move(known)) {}

  Actions on(const Event& event, Boot now);

  State state() const { return state_; }
  // In state Refused: when the host is to hand over the next LeaseAnswer at the latest.
  std::optional<Boot> wake_at() const;
  // Names the leadership that this controller has, or had last.
  const std::string& since() const { return since_; }

 private:
  void take(const LeaseAnswer& lease, Boot now);
  void take(const StoreOpened& event, Boot now);
  void take(const StoreRefused& refused, Boot now);
  void take(const DatabaseChecked& database, Boot now);
  void take(const ControllerStatus& status, Boot now);
  void take(const ControllerStopped& stopped, Boot now);
  void take(const EndAsked& asked, Boot now);

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
  Actions actions_;             // in answer to the event at hand
  LastKnownState known_;        // by the end of the last leadership
  std::string since_;           // of the leadership that it has, or had last
  bool is_superseded_ = false;  // ... by which it wrote no more
  int refusals_ = 0;            // of a database that answers, in a row
  Refusal refusal_;             // the last one
  Boot retry_at_{};             // after a refusal
  std::string standing_;        // what was logged last since it stands by
  std::optional<EndAsked> end_asked_;
};

}  // namespace cox
