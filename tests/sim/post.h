// One of the controllers, on its host: the real LeaderLease and LeaderLoop and, while it leads, the
// real Controller; in one life after another. It carries out the actions of the loop as
// controller/main.cpp does.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "controller/leader/leader_lease.h"
#include "controller/leader/leader_loop.h"
#include "controller/turn/controller.h"
#include "tests/sim/clock.h"
#include "tests/sim/leadership_row.h"
#include "tests/sim/network.h"
#include "tests/sim/sim_store.h"

namespace cox::sim {

class Post {
 public:
  struct Surroundings {
    Scene& scene;
    Judge& judge;
    Network& network;
    const ControllerConfig& config;
    std::shared_ptr<MemoryDatabase> database;
    std::shared_ptr<LeadershipRow> row;
  };

  Post(Surroundings around, std::int64_t number);

  const std::string& name() const { return name_; }
  void begin(Milliseconds first);
  void receive(const std::string& from, const Caller& caller, const Message& message);

  bool runs() const { return lease_ != nullptr; }
  bool leads() const { return controller_ != nullptr; }
  Milliseconds started() const { return started_; }
  const Cluster* cluster() const;  // null: it has none

  // Faults.
  void dies(const std::string& why);
  void ends_well();                      // and comes back; gives the lease back
  void stands_still(Milliseconds time);  // at once, or between two of its next messages
  void set_wall_off_by(Milliseconds off);
  void store_goes_away(Milliseconds time);
  void store_comes_back();

 private:
  struct Heard {
    std::string from;
    Caller caller;
    Message message;
  };

  void start();
  void go_away(Milliseconds time);
  bool stands() const { return stands_until_ > scene_.agenda.now(); }
  bool store_is_away() const { return away_until_ > scene_.agenda.now(); }
  void stand_still();
  void run_soon();
  void run();
  void tick();

  // The lease.
  void keep_lease();
  void carry_question(const LeaderLease::Question& question, std::int64_t number);
  void hear_answer(bool is_awaited, const LeaderLease::Answer& answer, const LastKnownState& known);
  LeaderLoop::LeaseAnswer lease_answer() const;

  // The actions of the leader loop.
  void on(const LeaderLoop::Event& event);
  void carry_out(const LeaderLoop::AskLease& ask);
  void carry_out(const LeaderLoop::OpenStore& open);
  void carry_out(const LeaderLoop::CloseStore& close);
  void carry_out(const LeaderLoop::CheckDatabase& check);
  void carry_out(const LeaderLoop::Start& start);
  void carry_out(const LeaderLoop::Stop& stop);
  void carry_out(const LeaderLoop::RefuseAll& refuse);
  void carry_out(const LeaderLoop::Resign& resign);
  void carry_out(const LeaderLoop::Exit& exit);
  void carry_out(const LeaderLoop::Log& line);

  void turn();
  bool send_all();  // false: it died, or stands still
  void judge_it();
  void leave_store();
  void say(const std::string& what) { scene_.story.say(name_, what); }

  Surroundings around_;
  Scene& scene_;
  std::string name_;
  Clock clock_;
  std::unique_ptr<LeaderLease> lease_;  // null: it does not run
  std::unique_ptr<LeaderLoop> loop_;    // null: it does not run
  LastKnownState known_;                // by the answers that it got about the lease
  std::int64_t life_ = 0;
  std::int64_t question_ = 0;  // the newest
  bool is_asking_ = false;     // and awaits the answer
  bool is_waking_ = false;     // to ask is on the agenda
  std::unique_ptr<SimStore> store_;
  std::unique_ptr<Controller> controller_;  // null: it stands by
  std::vector<std::unique_ptr<SimStore>> past_stores_;
  std::deque<Heard> heard_;       // and not taken in yet
  std::deque<Outgoing> to_send_;  // what it was about to say when it stood still
  Milliseconds started_{0};
  Milliseconds stands_until_{0};
  Milliseconds stands_soon_{0};  // between two messages, for so long
  Milliseconds away_until_{0};   // of its database
  bool run_due_ = false;
  std::pair<Term, TurnNumber> judged_;  // the newest state that was held against the truth
};

}  // namespace cox::sim
