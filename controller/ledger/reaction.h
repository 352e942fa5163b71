// The ledger of a turn: the changes that events cause, and the messages to send. Rooms of the
// controller change state only through it. Each change is applied to the cluster at once and
// recorded for the commit; messages are sent after the commit.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "controller/change/wanted_read.h"
#include "controller/feed/engine_feed.h"

namespace cox {

struct Outgoing {
  PeerName peer;
  Message message;
  // If the reply has a Script: the hash of the text, which the store fills in.
  std::string text_wanted = {};
};

// A submission that waits for submit_program. When the program has ended, the request is handled
// again.
struct WantedVerdict {
  std::shared_ptr<PeerMessage> incoming;
  std::int64_t number = 0;  // of the request
  std::string input;        // for the program
  std::size_t bytes = 0;    // bytes of memory that the submission uses while it waits
};

// A client that waits for a job to change.
struct Waiter {
  PeerName peer;
  std::int64_t number = 0;
  JobId job;
  std::int64_t known_change_count = 0;
  Boot until;
  bool whole_array = false;
  // Not -1: the client waits until this step is in another state than `known`.
  std::int32_t step = -1;
  JobState known = JobState::Pending;
};

// A client that waits for events of jobs.
struct EventFollower {
  PeerName peer;
  std::int64_t number = 0;
  FollowEvents ask;
  Boot until;
};

class Reaction {
 public:
  Reaction(Cluster& cluster, EngineFeed& feed, Now now)
      : cluster_(cluster), feed_(feed), now_(now) {}

  const Cluster& cluster() const { return cluster_; }
  SoftState& soft_state() { return cluster_.soft(); }
  EngineFeed& feed() { return feed_; }
  schedule::Engine& engine() { return feed_.engine(now_); }
  schedule::Scheduler& scheduler() { return feed_.scheduler(now_); }
  Now now() const { return now_; }
  // Returns the time to record for what happens to the job now. It is never before a time that the
  // job's rows already have, even if the clock was set back.
  Wall moment_of(JobId id) const { return std::max(now_.wall, cluster_.job(id)->recorded); }

  void add_job(Job job, Blob script, Blob environment, std::string why);
  // Moves the job to a state that is not final, by the transition table (CHECKed). `edit` may set
  // fields of the row that go with the new state.
  template <class Edit>
  void move(JobId id, Trigger trigger, std::string why, std::string actor, Edit edit) {
    Job job = row_to_change(id);
    CHECK(!is_final(next_state(job.state, trigger).value_or(job.state)));
    edit(job);
    moved(std::move(job), trigger, std::move(why), std::move(actor));
  }
  void move(JobId id, Trigger trigger, std::string why, std::string actor) {
    move(id, trigger, std::move(why), std::move(actor), [](Job&) {});
  }
  // Moves the job to a final state, and does nothing else. Call end_job() (ended.h) instead. Only
  // admit/cron.cpp, which may not include ended.h, calls this and settles the checkpoints itself.
  void end(
      JobId id, Trigger trigger, std::string why, std::string actor,
      const std::function<void(Job&)>& edit = [](Job&) {});
  // Changes fields of a job's row, but not its state.
  template <class Edit>
  void edit(JobId id, Edit edit) {
    Job job = row_to_change(id);
    edit(job);
    edited(std::move(job));
  }
  // Replaces the job's specification, after a user has changed it.
  void respecify(JobId id, ParsedSpec spec);
  void add(Attempt attempt);
  void put(Attempt attempt);
  void add(Checkpoint checkpoint);
  void put(Checkpoint checkpoint);
  void put(Node node);
  void put(JobWait wait);
  // Applies all changes that one request makes to accounts and QOS.
  void administer(std::vector<Change> asked);
  void put(Partition partition);
  void remove_partition(const std::string& name);
  void put(Crontab crontab);
  void put(CronLine line);
  void remove_crontab(std::uint32_t uid);
  void remove_cron_line(const CronLine& line);
  void put(Step step);
  void put(AdvanceReservation reservation, std::string what, std::string actor);
  void remove_reservation(const std::string& name, std::string what, std::string actor);
  void put(Failover failover);
  void put(EventTrigger trigger);
  void remove_trigger(EventTriggerId id);
  void forget(JobId id);
  // Adds a line to the history of the node, or of the job.
  void note_node(const std::string& node, std::string what, std::string why, std::string actor);
  void note(JobId id, std::string what, std::string why, std::string actor);

  // Changes of soft state (not stored) on which other values in memory depend, such as deadlines.
  void availability_changed(const std::string& node) { cluster_.availability_changed(node); }
  void take_run_time(JobId id, Milliseconds ran) { cluster_.take_run_time(id, ran, now_.boot); }
  void restart_preparing(JobId id) { cluster_.restart_preparing(id, now_.boot); }
  void set_retry_after(JobId id, Boot at) { cluster_.set_retry_after(id, at); }
  void let_begin(JobId id) { cluster_.let_begin(id); }
  void never_issue(JobId id) { cluster_.never_issue(id); }
  void follow_names() { cluster_.follow_names(); }
  void know_groups(const HostGroups& found) { cluster_.know_groups(found); }
  bool settle_hours() { return cluster_.settle_hours(now_); }
  std::vector<std::string> take_reservation_upkeep(Milliseconds interval, std::size_t most) {
    return cluster_.take_reservation_upkeep(now_.boot, interval, most);
  }
  Shared<ParsedSpec> shared_spec(const Shared<ParsedSpec>& spec) {
    return cluster_.shared_spec(spec);
  }

  void send(const PeerName& peer, Message message);
  // Sends to the node's worker if it is connected. If the message is lost, reconcile() repeats it.
  void send_to_node(const std::string& node, Message message);
  void reply(const PeerName& peer, std::int64_t number, decltype(Reply::body) body);
  // Replies with a script: the store fills in the text that has this hash.
  void reply_with_text(const PeerName& peer, std::int64_t number, std::string hash);
  void ask_for_scheduling() { scheduling_ = true; }

  std::vector<Change> changes;
  std::vector<Outgoing> outgoing;
  std::vector<WantedRead> reads;
  std::vector<Waiter> waiters;
  std::vector<EventFollower> followers;
  std::vector<FenceOrder> fences;  // for fence_program
  // Runs of prolog_program and epilog_program to start after the commit.
  std::vector<SiteRun> site_runs;
  std::vector<TriggerRun> trigger_runs;  // programs of event triggers to start after the commit
  std::vector<WantedVerdict> verdicts;   // runs of submit_program
  // A term above this controller's that a worker has obeyed. If set, the turn is not committed.
  std::optional<Term> newer_term;
  bool restarts = false;  // the program restarts and reads its settings file again
  bool scheduling() const { return scheduling_; }

 private:
  void change(Change c);
  Job row_to_change(JobId id) const;
  void end_wait(const Job& job);
  void charge(const Attempt& attempt);
  void moved(Job job, Trigger trigger, std::string why, std::string actor);
  void edited(Job job);

  Cluster& cluster_;
  EngineFeed& feed_;
  Now now_;
  bool scheduling_ = false;
};

}  // namespace cox
