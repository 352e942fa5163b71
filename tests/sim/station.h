// A node: its machine, and its worker through several lives.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "tests/sim/leader_connection.h"
#include "tests/sim/machine.h"
#include "tests/sim/network.h"
#include "worker/worker.h"

namespace cox::sim {

class Station {
 public:
  Station(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Network& network, Node node,
          std::size_t controllers);

  // Starts the worker after `first`; from then on it ticks until the run ends.
  void begin(Milliseconds first);
  void receive(const std::string& from, const Message& message);

  const std::string& name() const { return machine_.node().name; }
  const Machine& machine() const { return machine_; }
  std::string end() const;  // the end of the worker's connection, "worker-n1#7"
  bool runs() const { return worker_ != nullptr; }
  Milliseconds booted() const { return booted_; }

  // Faults.
  void worker_dies(const std::string& why);
  // SIGSTOP for `time`; afterwards the worker gets the messages that came meanwhile
  void worker_stops(Milliseconds time);
  void reboot();
  void change_spool();
  void kill_supervisor() { machine_.kill_supervisor(); }
  void set_wall_off_by(Milliseconds off);

 private:
  void start_worker();
  void run_soon();
  void run();
  void tick();
  bool is_stopped() const { return stopped_until_ > scene_.agenda.now(); }
  void log(const std::string& what) { scene_.story.log(name(), what); }

  Scene& scene_;
  Network& network_;
  Machine machine_;
  std::size_t controllers_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<LeaderConnection> connection_;  // the worker's connection
  std::int64_t session_ = 0;
  Term newest_term_;  // the newest term in a message to this node
  Milliseconds booted_{0};
  Milliseconds stopped_until_{0};
  // messages that came while the worker was stopped
  std::deque<std::pair<std::string, Message>> waiting_;
  bool run_due_ = false;
};

}  // namespace cox::sim
