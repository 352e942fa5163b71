// One step on this node, for real: its link to the client, its tasks and their streams. It carries
// out what StepRun decides.
//
// Nobody waits here: descriptors are watched by Watches, and whoever polls them calls on_ready. Of
// a stream only as much is read as the client has given credit for; what the tasks write beyond
// that stays in their pipes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/link.h"
#include "worker/stepd/io/pmix_host.h"
#include "worker/stepd/io/task_process.h"
#include "worker/stepd/io/watches.h"
#include "worker/stepd/step_run.h"

namespace cox {

// What all steps here have in common.
struct StepSurroundings {
  LaunchSpec job;
  GoOrder go;
  std::string folder;  // the supervisor's
  std::shared_ptr<LinkContext> context;
  Poller& poller;
  Watches& watches;
  PmixHost& pmix;
};

class LiveStep {
 public:
  LiveStep(StepLaunch launch, const StepSurroundings& around);
  ~LiveStep();
  LiveStep(const LiveStep&) = delete;

  void feed(const stepd::Event& event);
  void receive();  // what the client has said
  void carry_out(const std::vector<MpiWord>& words);
  void on_ready(std::size_t local, Watches::Kind kind);
  void signal(std::int32_t signal, std::int32_t rank);  // rank -1: all

  std::int32_t number() const { return launch_.number; }
  std::optional<Boot> wakeup() const { return run_.wakeup(); }
  bool is_forgotten() const { return is_forgotten_; }
  // What has to be told to the supervisor, if anything has changed.
  std::optional<StepStatus> take_report();

 private:
  struct Chunk {
    std::string data;
    std::int64_t cost = 0;
  };
  struct Task {
    TaskProcess process;
    bool has_exited = false;
    std::deque<std::shared_ptr<Chunk>> input;
    std::size_t written = 0;  // of the first of them
    bool writes = false;      // its input is watched
  };

  void execute(const stepd::CallClient&);
  void execute(const stepd::StartTasks&);
  void execute(const stepd::SignalAll& action);
  void execute(const stepd::KillLeftovers&);
  void execute(const stepd::Say& action);
  void execute(const stepd::Report&);
  void execute(const stepd::Forget&);

  void on(const StepBegin& begin);
  void on(const InputBytes& input);
  void on(const InputEnd&);
  void on(const OutputCredit& credit);
  void on(const SignalTasks& order) { signal(order.signal, order.rank); }
  void on(const WindowSize& size);
  void on(const StepGathered& gathered);
  template <class Other>
  void on(const Other&) {}

  TaskOrder order_of(std::size_t local) const;
  void open_mpi();
  void start(std::size_t local);
  void read_stream(std::size_t local, Watches::Kind kind);
  void end_stream(std::size_t local, Watches::Kind kind);
  void write_input(Task& task, std::size_t local);
  void close_input(Task& task);
  void give_input_credit(bool all_of_it);
  void note_exit(std::size_t local);
  void pause_streams(bool pause);
  void settle_streams();
  void say(Message message);

  StepLaunch launch_;
  const StepSurroundings& around_;
  StepRun run_;
  StepBegin begin_;
  std::unique_ptr<Connection> link_;
  std::unique_ptr<StepMpi> mpi_;
  std::string mpi_failed_;  // why there is none, though it is asked for
  std::vector<Task> tasks_;
  std::int64_t credit_ = 0;     // bytes that may be sent
  std::int64_t input_due_ = 0;  // credit to give back
  bool input_ended_ = false;
  bool is_paused_ = false;
  bool streams_settled_ = false;
  bool has_report_ = false;
  bool is_forgotten_ = false;
};

}  // namespace cox
