// The turn: react → apply → (schedule) → commit → send. Controller owns the Cluster; only one
// thread calls it.
//
// A turn takes what has arrived, reacts to each event, runs a scheduling pass if one is due,
// commits all changes in one transaction, and only then sends the messages. One turn is in flight;
// meanwhile events queue (fair_queue.h). Only heartbeats are acknowledged at once, so that a slow
// or absent database ends no job.
//
// If PostgreSQL is away for more than 2 s, requests are refused. A refusal is final: only requests
// that no turn has taken are refused, and repeats of a request get the answer of the first copy
// (open_requests.h). A request whose turn is in flight is answered after the commit, however long
// the commit takes (while_away.cpp).
//
// While PostgreSQL is away, queries that memory can answer are answered. Memory has all that is
// committed and the changes of the turn in flight, which could still be lost. So the answer has the
// time at which PostgreSQL went away, and names the changes that are not recorded yet. The answer
// includes these changes: a job whose end is not recorded is shown as ended.
//
// If the store rejects a turn, memory is loaded again and the turn's events are replayed, each in a
// transaction of its own. An event that is rejected again is quarantined and reported.
//
// Uses no sockets and no clock: main.cpp and the simulator pass events to it and send the messages.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "controller/change/event.h"
#include "controller/change/store.h"
#include "controller/feed/engine_feed.h"
#include "controller/ledger/reaction.h"
#include "controller/state/database_refusal.h"
#include "controller/turn/effects.h"
#include "controller/turn/fair_queue.h"
#include "controller/turn/notices.h"
#include "controller/turn/open_requests.h"
#include "controller/turn/outage.h"
#include "controller/turn/pass_schedule.h"
#include "controller/turn/store_reads.h"
#include "controller/turn/submit_verdicts.h"
#include "controller/turn/waiting_clients.h"

namespace cox {

class Controller {
 public:
  Controller(ControllerConfig config, Store& store);

  void start(Now now);  // takes a new term and loads the state from the store
  void receive(PeerMessage incoming, Now now);
  // Sets whether it is certain that no other controller leads. Each acknowledgement of a heartbeat
  // reports this to the worker.
  void set_sure(bool sure);
  // Lets this leadership go on with what the process's last one knew of the time of day.
  void know_time_of_day(TimeOfDay known) { cluster_.soft().time_of_day = known; }
  // Takes the time of day of the database's server, as it was at `ours`.
  void database_time(Wall theirs, Now ours) {
    cluster_.soft().time_of_day.note_database(theirs, ours);
  }
  void fence_ended(FenceEnded ended) { queue_.put(std::move(ended)); }
  void site_run_ended(SiteRunEnded ended) { queue_.put(std::move(ended)); }
  void submit_run_ended(SubmitRunEnded ended);
  // Returns the groups that partitions name (AllowGroups) and that no lookup has found.
  std::vector<std::string> unknown_groups() const;
  void groups_found(GroupsFound found);
  void tick(Now now);
  // Handles what the store has finished, and runs turns while there is something to do.
  void run(Now now);
  // Handles what the store has finished, and begins no new turn. Used before an orderly end.
  void finish_turn(Now now);
  // Removes the requests of clients that no turn has taken, and returns them. Used at the end, to
  // reply that they were not carried out.
  std::vector<PeerMessage> take_waiting_requests();
  // Records the duration of the last run(), for the statistics of passes.
  void note_run(Microseconds took);

  // Returns the effects of one type that the caller must carry out, and removes them: Outgoing,
  // LogLine, Notice, FenceOrder, SiteRun, TriggerRun or SubmitRun.
  template <class Effect>
  std::vector<Effect> take() {
    if constexpr (std::is_same_v<Effect, Outgoing>) answer_repeats();
    return std::exchange(effects_.all<Effect>(), {});
  }
  // The operator has requested that the program restarts and reads its settings file again.
  bool restart_asked() const { return effects_.restarts; }

  bool ready() const { return state_ == State::Ready || state_ == State::InFlight; }
  bool in_flight() const { return state_ == State::InFlight; }
  bool superseded() const { return state_ == State::Superseded; }
  // Returns whether this controller was superseded by a term that the database does not have. Then
  // the database may have lost committed turns.
  bool database_regressed() const { return database_regressed_; }
  // Returns the newest committed state that this controller has seen, for the next leadership.
  LastKnownState known() const;
  const Cluster& cluster() const { return cluster_; }
  // For tests and the simulator.
  schedule::Engine& engine(Now now) { return feed_.engine(now); }
  void verify() const;

 private:
  enum class State : std::uint8_t { New, Loading, Ready, InFlight, Superseded };
  // The newest committed turn.
  struct LastCommit {
    TurnNumber number;
    Wall at{};
    JobId next_job{1};  // the smallest id that no committed turn has given to a job
    // Since that commit it was always certain that no other controller leads.
    bool nobody_led_since = true;
  };
  // The effects of a turn. They are released after its commit, and dropped if it is rejected.
  struct HeldBack {
    Effects effects;
    std::vector<Waiter> waiters;
    std::vector<EventFollower> followers;
    std::vector<StreamedEvent> events;
    std::vector<WantedRead> reads;
    std::vector<WantedVerdict> verdicts;
    TurnStatistics counted;
  };
  // The turn that is being committed.
  struct TurnInFlight {
    std::vector<Event> events;
    bool is_replay = false;  // the turn has only one event, which was in a turn that was rejected
    DatabaseRefusal::Kinds kinds;  // of its changes
    HeldBack held_back;
  };
  // When pending reasons were last computed to be stored, and Cluster::changes_applied() at that
  // time.
  struct WaitsKept {
    Boot at{};
    std::int64_t changes = -1;
  };

  void on_store(StoreEvent event, Now now);
  void on(Loaded event, Now now);
  void on(const Committed& event, Now now);
  void on(const TurnRejected& event, Now now);
  void on(const Superseded& event, Now now);
  void on(const StoreAway& event, Now now);
  void on(const StoreBack& event, Now now);
  void on(const HistoryRead& event, Now now);
  void on(const JobRead& event, Now now);
  void on(const AccountingRead& event, Now now);
  void on(const QosRead& event, Now now);
  void on(const RequestsRead& event, Now now);
  void on(const ReadFailed& event, Now now);

  bool turn(Now now);
  bool has_due_dependants() const;
  void begin_turn();
  void react_to(Reaction& r, const Event& event);
  void run_pass(Reaction& r, Now now);
  void warn_of_missing_history();
  void step_down(Term newer);
  void keep_waits_if_due(Reaction& r, Now now);
  void finish(Reaction& r, Now now);
  void release(const std::vector<Blob>& blobs, Now now);
  void note_commit(TurnNumber number, Now now);
  void drop_turn();
  void warn_after_load();
  void ask_what_is_due(Now now);
  struct JobReadAnswer;
  void quarantine(const Event& event, const TurnRejected& why, Now now);
  bool ask_for_request(const PeerMessage& incoming, const Request& request);
  bool takes_request(const PeerMessage& incoming, const Request& request, Now now);
  void refuse_for_now(const PeerMessage& incoming, const Request& request, Now now);
  void settle_while_away(Now now);
  bool can_settle_now(const Event& event, bool is_long) const;
  bool is_accepted(const Request& request) const;
  void answer_from_memory(const PeerMessage& incoming, const Request& request, Now now);
  void answer_repeats();

  Cluster cluster_;
  EngineFeed feed_{cluster_};
  Store& store_;
  State state_ = State::New;
  bool database_regressed_ = false;
  bool sure_ = true;  // no other controller can have become leader
  bool is_history_missed_ = false;  // SoftState::missing_history was logged
  Term newer_;  // a higher term that a worker has obeyed, though the database does not have it
  LastCommit last_commit_;
  FairQueue queue_;
  bool tick_due_ = false;
  Boot ran_at_{};  // the last run()
  OpenRequests open_requests_;
  // Events of a rejected turn, which are handled again, one in each turn.
  std::deque<Event> replay_;
  TurnInFlight turn_;
  // The store has rejected a turn without events. Until an event arrives, no pass is requested and
  // no dependencies are checked; otherwise the same turn would be rejected again and again.
  bool idle_turn_rejected_ = false;
  PassSchedule pass_;
  WaitsKept waits_kept_;
  TimeNotices time_notices_;
  Effects effects_;
  WaitingClients waiting_;
  SubmitVerdicts verdicts_;
  StoreReads reads_{store_};
  PeriodicRead qos_read_;
  PeriodicRead requests_read_;  // the reads of cox.request: requests made by SQL
  // Ids of requests made by SQL that are queued, or whose answer is not committed yet.
  std::set<std::int64_t> asked_by_sql_;
  Outage outage_;
};

}  // namespace cox
