// A node: its machine, and its worker in one life after another.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "tests/sim/line.h"
#include "tests/sim/machine.h"
#include "tests/sim/network.h"
#include "worker/worker.h"

namespace cox::sim {

class Station {
 public:
  Station(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Network& network, Node node,
          std::size_t controllers);

  void begin(Milliseconds first);  // and tick from then on
  void receive(const std::string& from, const Message& message);

  const std::string& name() const { return machine_.node().name; }
  const Machine& machine() const { return machine_; }
  std::string end() const;  // of the worker's connection, "worker-n1#7"
  bool runs() const { return worker_ != nullptr; }
  Milliseconds booted() const { return booted_; }

  // Faults.
  void worker_dies(const std::string& why);
  void worker_stops(Milliseconds time);  // it hears what came meanwhile when it goes on
  void reboot();
  void kill_supervisor() { machine_.kill_supervisor(); }
  void set_wall_off_by(Milliseconds off);

 private:
  void start_worker();
  void run_soon();
  void run();
  void tick();
  bool stands() const { return stands_until_ > scene_.agenda.now(); }
  void say(const std::string& what) { scene_.story.say(name(), what); }

  Scene& scene_;
  Network& network_;
  Machine machine_;
  std::size_t controllers_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Line> line_;  // of the worker
  std::int64_t session_ = 0;
  Term newest_term_;  // that was heard of here
  Milliseconds booted_{0};
  Milliseconds stands_until_{0};
  std::deque<std::pair<std::string, Message>> unheard_;  // while it stood
  bool run_due_ = false;
};

}  // namespace cox::sim
