// One run of a whole cluster in virtual time, all of it decided by one seed: the real controller, a
// real worker and real supervision on each node, the store in memory; and everything that can go
// wrong between them. First faults, then peace, in which every job must end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/controller.h"
#include "tests/sim/clients.h"
#include "tests/sim/sim_store.h"
#include "worker/worker.h"

namespace cox::sim {

class Simulation {
 public:
  Simulation(std::uint64_t seed, PlantedBug planted, bool whole_story);

  // Empty, or the story of the first violation.
  std::string run();

 private:
  struct Station {
    std::unique_ptr<Machine> machine;
    std::unique_ptr<Worker> worker;
    std::int64_t session = 0;
    Milliseconds booted{0};
    bool run_due = false;
  };

  void make_station(std::int64_t index);
  void deliver(const std::string& from, const std::string& to, const Message& message,
               Milliseconds sent);
  bool died_with_its_connection(const std::string& from, Milliseconds sent) const;

  // The controller, in one life after another.
  Now controller_now() const;
  void start_controller();
  void crash_controller(const std::string& why);
  void run_controller_soon();
  void run_controller();
  void tick_controller();
  void judge_controller();

  // The workers.
  std::string end_of(const Station& station) const;
  void start_worker(Station& station);
  void crash_worker(Station& station, const std::string& why);
  void run_worker_soon(Station& station);
  void run_worker(Station& station);
  void tick_worker(Station& station);

  // What goes wrong, and when.
  void plan_fault();
  void strike();
  Station& some_station();
  void make_peace();
  bool all_is_done() const;
  std::string verdict_on(JobId id) const;
  std::string what_is_left() const;

  Scene scene_;
  Storage storage_;
  Judge judge_;
  Shared shared_;
  Network network_;
  ControllerConfig config_;
  Administration administration_{scene_};
  std::shared_ptr<MemoryDatabase> database_ = std::make_shared<MemoryDatabase>();
  std::unique_ptr<SimStore> store_;
  std::unique_ptr<Controller> controller_;
  Milliseconds controller_started_{0};
  std::pair<Term, TurnNumber> judged_;  // the newest state that was held against the truth
  std::vector<std::unique_ptr<SimStore>> past_stores_;
  bool run_due_ = false;
  std::vector<std::unique_ptr<Station>> stations_;
  std::unique_ptr<Clients> clients_;
  std::int64_t faults_in_use_ = 0;  // one bit a kind
  std::optional<Milliseconds> peace_since_;
};

// Runs one seed.
std::string simulate(std::uint64_t seed, PlantedBug planted = PlantedBug::None,
                     bool whole_story = false);

}  // namespace cox::sim
