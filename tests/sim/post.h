// One controller on its host, through several lives: the real LeaderLease and LeaderLoop and, while
// it leads, the real Controller. It carries out the actions of the loop as
// controller/io/leader_host.cpp does.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  const Cluster* cluster() const;  // null: this controller does not lead

  // Faults.
  void dies(const std::string& why);
  void ends_well();  // stops in good order, gives the lease back, and starts again
  // SIGSTOP for `time`, at once or between two of its next messages
  void is_suspended(Milliseconds time);
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
  bool is_stopped() const { return stopped_until_ > scene_.agenda.now(); }
  bool store_is_away() const { return away_until_ > scene_.agenda.now(); }
  void suspend_now();
  void run_soon();
  void run();
  void tick();

  // The lease.
  void keep_lease();
  void carry_question(const LeaderLease::Question& question, std::int64_t number);
  void receive_answer(bool is_awaited, const LeaderLease::Answer& answer,
                      const LastKnownState& known);
  LeaderLoop::LeaseAnswer lease_answer() const;

  // Carry out the actions of the LeaderLoop.
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
  bool send_all();  // false: the controller died or was stopped before all were sent
  void check_controller();
  void leave_store();
  void log(const std::string& what) { scene_.story.log(name_, what); }

  Surroundings around_;
  Scene& scene_;
  std::string name_;
  Clock clock_;
  std::unique_ptr<LeaderLease> lease_;  // null: the controller's process does not run
  std::unique_ptr<LeaderLoop> loop_;    // null: the controller's process does not run
  TimeOfDay time_of_day_;               // what the last leadership of this process knew of it
  // The time of day of the database at its last answer, and this host's clock then.
  std::optional<std::pair<Wall, Now>> server_time_;
  LastKnownState known_;  // the newest state of the database, from the answers about the lease
  std::int64_t life_ = 0;
  std::int64_t question_ = 0;  // number of the newest query about the lease
  bool is_asking_ = false;     // a query about the lease waits for its answer
  bool is_waking_ = false;     // the next query about the lease is already planned
  std::unique_ptr<SimStore> store_;
  std::unique_ptr<Controller> controller_;  // null: it is a standby
  std::vector<std::unique_ptr<SimStore>> past_stores_;
  std::deque<Heard> received_;    // received messages that it has not handled yet
  std::deque<Outgoing> to_send_;  // messages that it has not sent yet
  Milliseconds started_{0};
  Milliseconds stopped_until_{0};
  // How long to stop the process, between its next two messages; 0: not at all.
  Milliseconds pending_stop_{0};
  Milliseconds away_until_{0};  // its database is unreachable until then
  bool run_due_ = false;
  // Term and turn of the newest state that the judge has checked.
  std::pair<Term, TurnNumber> checked_;
};

}  // namespace cox::sim
