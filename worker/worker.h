// The worker of one node: carries out the controller's orders, and reports the status of each
// attempt until the controller acknowledges it. Pure except for its interfaces Launcher and
// TermStore: worker/io/worker_host.cpp and the simulator pass it messages and send the messages
// that it produces.
//
//   STARTUP    sends a hello that lists every attempt on the node, and repeats it until Welcome
//   OPERATION  passes Prepare, Go, Stop and Suspend to the attempt's supervisor; reports what
//              supervisors report, and repeats it until a StatusAck names that revision
//   TEARDOWN   forgets an attempt whose end was acknowledged
//
// When the controller acknowledges a heartbeat, the worker renews the leases of its attempts until
// one lease after it *sent* the heartbeat. The controller counts from the arrival of the heartbeat,
// which is later, so a lease ends here before it ends there. The first lease of an attempt that
// starts without a Go (common/job/attempt.h) also begins when a heartbeat or hello was sent.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "common/cluster/node.h"
#include "common/messages/messages.h"
#include "worker/launcher.h"
#include "worker/term_store.h"

namespace cox {

class Worker {
 public:
  // `session`: a random name, new for each start of the worker. `cluster_name`: the worker's
  // setting; a controller of another cluster refuses the worker. Empty: it is not reported.
  Worker(Node node, std::string session, bool shares_checkpoints, Launcher& launcher,
         TermStore& terms, std::string cluster_name = {});

  void receive(const Message& message, Now now);
  void tick(Now now);  // sends the hellos, heartbeats and reports that are due
  void run(Now now);   // takes and handles the launcher's events

  // Sets the result of the health check: why the node should get no work. Empty: the node is
  // healthy; none: not known yet.
  void set_health(std::optional<std::string> unfit, Now now);
  // Sets why the node's GPUs cannot be given to jobs until it reboots; empty: they can.
  void set_gpus_unfit(std::string why) { gpus_unfit_ = std::move(why); }
  // Sets the machine's load for the next heartbeats; none: unknown.
  void set_load(std::optional<NodeLoad> load) { load_ = load; }
  // Sets whether the cluster's checkpoint folder is visible here; sends a hello if that changed.
  // The folder may be mounted late, or be unmounted; if it is missing for 30 s, the node is unfit.
  void set_shares_checkpoints(bool shares, Now now);

  std::vector<Message> take_outgoing();
  std::vector<std::string> take_remarks();
  std::vector<std::string> take_warnings();  // for the log, like the remarks
  bool welcomed() const { return welcomed_; }
  // Returns why this worker must end: another one serves its node. Empty: it need not.
  const std::string& refused() const { return refused_; }

 private:
  struct Entry {
    AttemptStatus status;
    std::int64_t acked = -1;  // revision
    Boot reported{};          // when `status` was last sent
    Boot received{};          // when `status` arrived: the run time is extrapolated from here
    bool supervised = true;  // false: no supervisor could be started, and the attempt has no folder
  };

  void on(const Welcome& m, Now now);
  void on(const HeartbeatAck& m, Now now);
  void on(const Prepare& m, Now now);
  void on(const Go& m, Now now);
  void on(const Stop& m, Now now);
  void on(const Suspend& m, Now now);
  void on(const LaunchStep& m, Now now);
  void on(const StopStep& m, Now now);
  void on(const SignalAttempt& m, Now now);
  void on(const StatusAck& m, Now now);
  void on(const RemoveCheckpoint& m, Now now);
  void on(const VerifyCheckpoint& m, Now now);
  void on(const Rejected& m, Now now);
  template <class Other>
  void on(const Other&, Now) {}

  bool accept_term(Term term);
  void note_unstored_term(Term term, const std::string& why);
  void answer_older_leader(Term term, Now now);
  bool is_supervised(AttemptKey key) const;
  void send_hello(Now now);
  void beat(Now now);
  void note_list(std::int64_t number, Now now);
  LaunchSpec launch_of(const Prepare& m) const;
  void report(Entry& entry, Now now);
  void take_status(AttemptStatus status, Now now);
  std::int64_t ran_ms(const Entry& entry, Now now) const;
  std::optional<std::string> unfit() const;
  void look_at_launcher(Now now);
  void look_at_folder(Now now);

  Node node_;
  std::string session_;
  std::string cluster_name_;
  bool shares_checkpoints_;
  Launcher& launcher_;
  TermStore& terms_;
  Term term_;
  std::optional<Term> older_leader_;  // the older term that was warned of; empty: none leads
  JobId newest_job_;
  Backoff hello_again_;
  bool welcomed_ = false;
  bool was_served_ = false;  // it has been welcomed before
  std::string rejected_;     // the newest reason of a Rejected
  std::string refused_;
  std::int64_t number_ = 0;
  Milliseconds heartbeat_{1'000};
  Boot started_{};
  Boot last_beat_{};
  // When each of the newest hellos and heartbeats was sent, by its number.
  std::map<std::int64_t, Boot> listed_at_;
  std::int64_t beat_ = 0;   // number of the newest heartbeat; 0: none
  std::int64_t acked_ = 0;  // number of the newest acknowledged heartbeat
  std::optional<std::string> health_ = "";
  std::optional<NodeLoad> load_;
  std::string launcher_unfit_;
  std::string gpus_unfit_;
  // Why the node is unfit: it lacks the checkpoint folder; empty: it does not.
  std::string folder_unfit_;
  Boot folder_missing_{};  // since when the folder is away; Boot{}: since the start, if it is
  // Why a new leader's term cannot be stored, so that its orders are refused; empty: it can.
  std::string term_unfit_;
  std::map<AttemptKey, Entry> attempts_;
  // By job: the newest attempt that has ended here and whose end was acknowledged. If there are too
  // many jobs, the one with the lowest id is dropped.
  std::map<JobId, AttemptNumber> forgotten_;
  std::vector<Message> outgoing_;
  std::vector<std::string> remarks_;
  std::vector<std::string> warnings_;
};

}  // namespace cox
