// The worker of one node: does as told, reports until acknowledged. Pure but for its seams
// (Launcher, TermStore): worker/main.cpp and the simulator feed it and carry its messages.
//
//   STARTUP    hello, with all it really has, repeated until welcomed
//   OPERATION  Prepare, Go, Stop, Suspend are handed to the attempt's supervisor; what supervisors
//              say is reported, again and again until a StatusAck names that revision
//   TEARDOWN   an acknowledged end is forgotten
//
// Leases are renewed to the moment the acknowledged heartbeat was *sent*, plus the lease: the
// controller reckons from when it arrived, which is later. An attempt that goes by itself (see
// common/job/attempt.h) has its first lease likewise.
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
  // session: random, new for each start.
  Worker(Node node, std::string session, bool shares_checkpoints, Launcher& launcher,
         TermStore& terms);

  void receive(const Message& message, Now now);
  void tick(Now now);  // sends what is due
  void run(Now now);   // takes in what supervisors said

  // What a check of the node found: why it should get no work; empty: nothing; none: not known yet.
  void set_health(std::optional<std::string> unfit, Now now);
  // The load of the machine that the next heartbeats report; none: unknown.
  void set_load(std::optional<NodeLoad> load) { load_ = load; }
  // The checkpoint folder may come into sight later than the worker: says hello again. If it does
  // not come, the node is unfit.
  void set_shares_checkpoints(bool shares, Now now);

  std::vector<Message> take_outgoing();
  std::vector<std::string> take_remarks();
  bool welcomed() const { return welcomed_; }

 private:
  struct Entry {
    AttemptStatus status;
    std::int64_t acked = -1;  // revision
    Boot reported{};          // when it was last sent
    Boot heard{};             // when the supervisor said it: run time counts on from there
    bool supervised = true;   // false: it could not even be started; there is no folder
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
  void on(const Rejected& m, Now now);
  template <class Other>
  void on(const Other&, Now) {}

  bool obey(Term term);
  void cannot_keep(Term term, const std::string& why);
  bool is_supervised(AttemptKey key) const;
  void say_hello(Now now);
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
  bool shares_checkpoints_;
  Launcher& launcher_;
  TermStore& terms_;
  Term term_;
  JobId newest_job_;
  Backoff hello_again_;
  bool welcomed_ = false;
  std::int64_t number_ = 0;
  Milliseconds heartbeat_{1'000};
  Boot started_{};
  Boot last_beat_{};
  // Hellos and heartbeats, which list what there is: number → when sent; bounded.
  std::map<std::int64_t, Boot> listed_at_;
  std::int64_t beat_ = 0;   // number of the newest heartbeat; 0: none
  std::int64_t acked_ = 0;  // of the newest acknowledged
  std::optional<std::string> health_ = "";
  std::optional<NodeLoad> load_;
  std::string launcher_unfit_;
  std::string folder_unfit_;  // why the checkpoint folder keeps work away; empty: it does not
  std::string term_unfit_;    // why a new leader cannot be obeyed; empty: it can
  std::map<AttemptKey, Entry> attempts_;
  std::map<JobId, AttemptNumber> forgotten_;  // the newest of a job here; bounded, oldest jobs go
  std::vector<Message> outgoing_;
  std::vector<std::string> remarks_;
};

}  // namespace cox
