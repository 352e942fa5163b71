// The ledger of a turn: the changes that events cause, and the messages to send. All rooms of the
// controller that change state do so through it alone. Each change is applied to the cluster at
// once and kept for the commit; each message is kept until the commit is through.
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
#include "controller/state/cluster.h"

namespace cox {

struct Outgoing {
  PeerName peer;
  Message message;
  std::string text_wanted = {};  // of a Script: the hash of what the store is to fill in
};

// A submission that waits for the answer of submit_program. Then the request is handled again.
struct WantedVerdict {
  std::shared_ptr<PeerMessage> said;
  std::int64_t number = 0;  // of the request
  std::string input;        // for the program
  std::size_t bytes = 0;    // memory used while it waits
};

// A client that waits for a job to change.
struct Waiter {
  PeerName peer;
  std::int64_t number = 0;
  JobId job;
  std::int64_t known_change_count = 0;
  Boot until;
  bool whole_array = false;
  std::int32_t step = -1;  // this step of the job, to leave the known state
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
  Reaction(Cluster& cluster, Now now) : cluster_(cluster), now_(now) {}

  const Cluster& cluster() const { return cluster_; }
  Cluster& soft_state() { return cluster_; }  // contacts of nodes, deadlines, pending reasons
  Now now() const { return now_; }
  // What is written of the job as having happened now: never before what was written of it, though
  // the clock was set back.
  Wall moment_of(JobId id) const { return std::max(now_.wall, cluster_.job(id)->recorded); }

  void add_job(Job job, Blob script, Blob environment, std::string why);
  // The one way a job changes its state to one that is not final: the transition table is CHECKed.
  // `edit` may set fields of the row that go with the new state.
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
  // Changes the state to a final one, and nothing else. Call end_job() (ended.h) instead. Only
  // admit/cron.cpp, which may not include it, calls this and settles the checkpoints itself.
  void end(
      JobId id, Trigger trigger, std::string why, std::string actor,
      const std::function<void(Job&)>& edit = [](Job&) {});
  // Changes a job's row within its state.
  template <class Edit>
  void edit(JobId id, Edit edit) {
    Job job = row_to_change(id);
    edit(job);
    edited(std::move(job));
  }
  // A person has changed what it asks for.
  void respecify(JobId id, JobSpec spec);
  void add(Attempt attempt);
  void put(Attempt attempt);
  void add(Checkpoint checkpoint);
  void put(Checkpoint checkpoint);
  void put(Node node);
  void put(JobWait wait);
  // All that was asked of accounts and tiers.
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
  // One line of a job's history that is no change of state.
  void note_node(const std::string& node, std::string what, std::string why, std::string actor);
  void note(JobId id, std::string what, std::string why, std::string actor);

  void send(const PeerName& peer, Message message);
  // To the node's worker, if it is connected; what is lost is said again by reconcile().
  void send_to_node(const std::string& node, Message message);
  void reply(const PeerName& peer, std::int64_t number, decltype(Reply::body) body);
  // With a script that the store has.
  void reply_with_text(const PeerName& peer, std::int64_t number, std::string hash);
  void ask_for_scheduling() { scheduling_ = true; }

  std::vector<Change> changes;
  std::vector<Outgoing> outgoing;
  std::vector<WantedRead> reads;
  std::vector<Waiter> waiters;
  std::vector<EventFollower> followers;
  std::vector<FenceOrder> fences;        // for fence_program
  std::vector<SiteRun> site_runs;        // for prolog_program and epilog_program
  std::vector<TriggerRun> trigger_runs;  // programs of event triggers
  std::vector<WantedVerdict> verdicts;   // runs of submit_program
  // A worker has obeyed this term, which is higher than ours: nothing of the turn may become true.
  std::optional<Term> newer_term;
  bool restarts = false;  // the program is to start anew, with the settings of its file
  bool scheduling() const { return scheduling_; }

 private:
  void change(Change c);
  Job row_to_change(JobId id) const;
  void end_wait(const Job& job);
  void charge(const Attempt& attempt);
  void moved(Job job, Trigger trigger, std::string why, std::string actor);
  void edited(Job job);

  Cluster& cluster_;
  Now now_;
  bool scheduling_ = false;
};

}  // namespace cox
