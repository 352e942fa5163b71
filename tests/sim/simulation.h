// One run of a whole cluster in virtual time, decided by one seed: the real controllers, a real
// worker and real supervision on each node, the store in memory, and the faults between them. After
// a time with faults comes peace, in which every job must end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/clients.h"
#include "tests/sim/post.h"
#include "tests/sim/station.h"

namespace cox::sim {

class Simulation {
 public:
  explicit Simulation(const Setting& setting);

  Outcome run();

 private:
  struct Partition {  // no message passes from `some` to `others`; if both_ways, none back either
    Places some;
    Places others;
    bool both_ways;
    Milliseconds time;
  };

  void make_posts();
  void make_stations();
  void deliver(const std::string& from, const std::string& to, const Message& message,
               Milliseconds sent);
  void deliver_to(Post& post, const std::string& from, const Message& message, Milliseconds sent);
  bool died_with_its_connection(const Post& to, const std::string& from, Milliseconds sent) const;
  void live();

  // The faults.
  void plan_fault();
  void strike();
  void strike(Fault fault);
  void cut_off(Fault fault);
  void cut(Fault fault, const Partition& partition);
  void store_stops(Random& dice);
  void plan_restore();
  void plan_clock_step();
  void restore();
  Places all_places() const;
  Post& some_post(Random& dice);
  Station& some_station(Random& dice);
  void make_peace();
  bool all_is_done() const;
  std::string verdict_on(JobId id) const;
  std::string what_is_left() const;

  Scene scene_;
  Random weather_{scene_.setting.seed, 2};
  Storage storage_;
  Judge judge_;
  Shared shared_;
  Network network_;
  ControllerConfig config_;
  Administration administration_{scene_};
  std::shared_ptr<MemoryDatabase> database_ = std::make_shared<MemoryDatabase>();
  std::optional<MemoryTables> backup_;
  std::shared_ptr<LeadershipRow> row_ = std::make_shared<LeadershipRow>();
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<std::unique_ptr<Station>> stations_;
  std::unique_ptr<Clients> clients_;
  std::int64_t jobs_ = 0;
  std::optional<Milliseconds> peace_since_;
};

}  // namespace cox::sim
