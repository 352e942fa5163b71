// The turn: react → apply → (schedule) → commit → send. Owns the cluster's state; one thread calls
// it.
//
// A turn takes what has arrived, reacts to each event, runs a scheduling pass if one is due,
// commits all changes in one transaction, and only then gives out the messages. One turn is in
// flight; while it is, events queue (fair_queue.h). Heartbeats alone are acknowledged at once: a
// slow or absent database kills nobody's work.
//
// While PostgreSQL is away for longer than a moment, requests are refused. A refusal is final: only
// requests that no turn has taken are refused, and repeats of a request get the answer that the
// first copy gets (open_requests.h). A request whose turn is in flight is answered once the turn is
// settled, however long that takes (while_away.cpp).
//
// Questions that memory can answer are answered meanwhile. Memory holds all that is committed and
// the changes of the one turn in flight, which could still be lost. So the answer has the time at
// which PostgreSQL went away, and names what is not recorded yet. It is not hidden: a job whose end
// is not recorded has ended all the same.
//
// A turn that the store rejects is rolled back: memory is loaded anew and the turn's events are
// replayed one a transaction; the one that is rejected again is quarantined and reported.
//
// No sockets and no clock here: main.cpp and the simulator feed it and carry its messages.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/change/event.h"
#include "controller/change/store.h"
#include "controller/ledger/event_stream.h"
#include "controller/ledger/reaction.h"
#include "controller/state/cluster.h"
#include "controller/turn/fair_queue.h"
#include "controller/turn/notices.h"
#include "controller/turn/open_requests.h"

namespace cox {

// What the log is told.
struct Remark {
  bool warning = false;
  std::string text;
};

class Controller {
 public:
  Controller(ControllerConfig config, Store& store);

  void start(Now now);  // takes a new term and loads
  void receive(PeerMessage said, Now now);
  // Whether no other controller can have taken the lead; acknowledged heartbeats tell it.
  void set_sure(bool sure) {
    sure_ = sure;
    alone_ = alone_ && sure;
  }
  void fence_ended(FenceEnded ended);
  void site_run_ended(SiteRunEnded ended);
  void submit_run_ended(SubmitRunEnded ended);
  // The groups of the host that partitions let in and that have not been found.
  std::vector<std::string> groups_wanted() const;
  void groups_found(GroupsFound found);
  void tick(Now now);
  // Takes in what the store has done, and runs turns as long as there is something to do.
  void run(Now now);
  // Takes in what the store has done and begins no turn: before an orderly end.
  void finish_turn(Now now);
  // That took so long.
  void note_run(Microseconds took);

  std::vector<Outgoing> take_outgoing();
  std::vector<Remark> take_remarks();
  std::vector<Notice> take_notices();
  std::vector<FenceOrder> take_fences();
  std::vector<SiteRun> take_site_runs();
  std::vector<TriggerRun> take_trigger_runs();
  std::vector<SubmitRun> take_submit_runs();

  bool ready() const { return state_ == State::Ready || state_ == State::InFlight; }
  bool in_flight() const { return state_ == State::InFlight; }
  bool superseded() const { return state_ == State::Superseded; }
  // The operator wants the program to start anew, with the settings of its file.
  bool restart_asked() const { return restart_asked_; }
  // ... by nobody that the database knows: it may have lost what was told to be true.
  bool database_regressed() const { return went_back_; }
  // For whoever leads next.
  LastKnownState known() const;
  const Cluster& cluster() const { return cluster_; }

 private:
  enum class State : std::uint8_t { New, Loading, Ready, InFlight, Superseded };
  // What a turn leads to once it is committed; nothing of it, should it be rejected.
  struct HeldBack {
    std::vector<Outgoing> messages;
    std::vector<Waiter> waiters;
    std::vector<EventFollower> followers;
    std::vector<StreamedEvent> events;
    std::vector<WantedRead> reads;
    std::vector<Remark> remarks;
    std::vector<Notice> notices;
    std::vector<FenceOrder> fences;
    std::vector<SiteRun> site_runs;
    std::vector<TriggerRun> trigger_runs;
    std::vector<WantedVerdict> verdicts;
    bool restarts = false;
    TurnStatistics counted;
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
  void step_down(Term newer);
  std::vector<Event> next_events();
  void keep_waits_if_due(Reaction& r, Now now);
  void finish(Reaction& r, Now now);
  void add_waiters(std::vector<Waiter> waiters);
  void answer_waiters(Now now);
  void take_followers(std::vector<EventFollower> followers);
  void answer_followers(Now now);
  void ask_for_qos(Now now);
  void ask_for_requests(Now now);
  bool may_read(const PeerName& peer) const;
  struct JobReadAnswer;
  void ask_reads(std::vector<WantedRead> reads);
  bool may_wait_for_verdict(const WantedVerdict& one) const;
  void ask_verdicts(std::vector<WantedVerdict> verdicts, Now now);
  void release(const std::vector<Blob>& blobs, Now now);
  void quarantine(const Event& event, const TurnRejected& why);
  bool ask_for_request(const PeerMessage& said, const Request& request);
  bool takes_request(const PeerMessage& said, const Request& request, Now now);
  void refuse_for_now(const PeerMessage& said, const Request& request, Now now);
  void settle_while_away(Now now);
  bool can_settle_now(const Event& event, bool is_long) const;
  bool is_accepted(const Request& request) const;
  void answer_from_memory(const PeerMessage& said, const Request& request, Now now);
  void mark_as_old(Reply& reply) const;
  std::vector<std::string> unrecorded() const;
  void note_unrecorded(const std::vector<Change>& changes);
  void remark(bool warning, std::string text) { remarks_.push_back({warning, std::move(text)}); }
  static std::vector<Remark> remarks_of(const std::vector<Change>& changes);

  Cluster cluster_;
  Store& store_;
  State state_ = State::New;
  bool went_back_ = false;
  bool sure_ = true;
  bool alone_ = true;  // it has been sure since the last turn that is true: nobody has led since
  Term newer_;         // that a worker has obeyed, though the database knows nothing of it
  bool tick_due_ = false;
  bool scheduling_due_ = false;
  bool passing_ = false;  // a pass has begun, and a part of it is left for the next turn
  bool passed_ = false;   // since the last note_run, a part of one at least
  Microseconds pass_took_{0};
  Boot last_pass_{};
  Boot next_change_ = Boot::max();               // of what a pass decides, by time alone
  Boot qos_asked_{};                             // when the tiers were read last
  std::optional<std::int64_t> requests_ticket_;  // being read
  std::set<std::int64_t> asked_by_sql_;          // rows that wait in the queue, or for the commit
  Boot requests_asked_{};
  std::optional<std::int64_t> qos_ticket_;  // while that is under way
  Boot waits_kept_{};                       // when the rows of why jobs wait were last looked at
  std::int64_t waits_kept_changes_ = -1;    // ... and what had changed by then
  bool pass_refused_ = false;               // by the store, with no event to blame
  bool judging_refused_ = false;            // likewise of dependants, until something happens
  TurnNumber committed_;
  Wall committed_at_{};
  JobId committed_jobs_{1};  // the first that nobody has been told of
  FairQueue queue_;
  OpenRequests open_requests_;
  std::deque<Event> replay_;      // of a rejected turn, one at a time
  std::vector<Event> in_flight_;  // of the turn in flight
  bool replaying_ = false;        // it is of a rejected turn, and alone
  HeldBack held_back_;            // of it too
  std::vector<Outgoing> outgoing_;
  std::vector<Remark> remarks_;
  std::vector<Notice> notices_;
  std::vector<FenceOrder> fences_;
  std::vector<SiteRun> site_runs_;
  std::vector<TriggerRun> trigger_runs_;
  std::vector<SubmitRun> submit_runs_;
  bool restart_asked_ = false;
  std::map<std::int64_t, WantedVerdict> verdicts_;  // waiting submissions, by ticket
  std::size_t verdict_bytes_ = 0;                   // bytes of verdicts_
  TimeNotices time_notices_;
  Boot times_told_{};  // when those were last looked at
  std::vector<Waiter> waiters_;
  std::vector<EventFollower> followers_;
  EventStream stream_;
  std::map<std::int64_t, WantedRead> reads_;
  std::int64_t next_ticket_ = 1;
  std::optional<Boot> away_since_;
  Wall away_at_{};
  std::string away_why_;
  std::vector<JobId> unrecorded_jobs_;          // those that the turn in flight changes
  std::vector<std::string> unrecorded_others_;  // likewise: "node n1"
  Boot ran_at_{};                               // the last run()
};

}  // namespace cox
