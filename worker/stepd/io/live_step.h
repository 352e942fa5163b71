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
#include <utility>
#include <vector>

#include "common/io/link.h"
#include "worker/stepd/io/pmix_host.h"
#include "worker/stepd/io/task_process.h"
#include "worker/stepd/io/watches.h"
#include "worker/stepd/step_binding.h"
#include "worker/stepd/step_run.h"

namespace cox {

class LiveStep;
using LiveSteps = std::map<std::int32_t, std::unique_ptr<LiveStep>>;

class StepEnvironment;

// Those that bound tasks may have.
struct AttemptCpus {
  std::vector<CpuPlace> cpus;  // none: `why`
  std::string why;
  IdSet usable;  // by those that are not bound
  bool one_ldom = true;
};

// What all steps here have in common.
struct StepSurroundings {
  LaunchSpec job;
  GoOrder go;
  std::string folder;  // the supervisor's
  std::shared_ptr<LinkContext> context;
  Poller& poller;
  Watches& watches;
  PmixHost& pmix;
  const LiveSteps& steps;  // all that are here
  AttemptCpus cpus;
  Now now{};  // of this turn
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
  enum class Reach : std::uint8_t {
    Task,   // the task's own process alone
    Group,  // and the other processes of its group
  };
  void signal(std::int32_t signal, std::int32_t rank, Reach reach);  // rank -1: all
  void give_input_credit(bool all_of_it);

  std::int32_t number() const { return launch_.number; }
  std::optional<Boot> wakeup() const;
  void end_late_epilogs();
  bool is_forgotten() const { return is_forgotten_; }
  // What has to be told to the supervisor, if anything has changed.
  std::optional<StepStatus> take_report();

 private:
  using Due = std::shared_ptr<std::int64_t>;  // credit to give back to who has sent input
  struct Chunk {
    std::string data;
    std::int64_t cost = 0;
    Due due;
  };
  struct Task {
    TaskProcess process;
    std::string cannot_start;  // the machine's reason
    bool has_exited = false;
    std::deque<std::shared_ptr<Chunk>> input;
    std::size_t written = 0;  // of the first of them
    bool writes = false;      // its input is watched
    // It has exited, and its epilogs run.
    std::optional<stepd::TaskExited> exited;  // reported when they have ended
    std::vector<TaskProgram> epilogs;         // that have not begun
    TaskProcess epilog;                       // pid 0: none runs
    Boot epilog_until{};                      // then it is killed
  };

  void execute(const stepd::CallClient&);
  void execute(const stepd::StartTasks&);
  void execute(const stepd::SignalAll& action);
  void execute(const stepd::KillLeftovers&);
  void execute(const stepd::ReadRest&);
  void execute(const stepd::Say& action);
  void execute(const stepd::Report&);
  void execute(const stepd::Forget&);

  void on(const StepBegin& begin);
  void on(const InputBytes& input);
  void on(const InputEnd&);
  void on(const OutputCredit& credit);
  void on(const StepReleased&) { feed(stepd::Released{}); }
  void on(const SignalTasks& order) { signal(order.signal, order.rank, Reach::Group); }
  void on(const WindowSize& size);
  void on(const StepGathered& gathered);
  template <class Other>
  void on(const Other&) {}

  TaskOrder order_of(std::size_t local, const StepEnvironment& environment) const;
  // Refused if the step asks for a container and this node runs no containers.
  Failure put_into_container(TaskOrder& order) const;
  void open_mpi();
  void start(std::size_t local, const StepEnvironment& environment);
  std::size_t read_stream(std::size_t local, Watches::Kind kind);  // so many bytes
  void end_stream(std::size_t local, Watches::Kind kind);
  void write_input(Task& task, std::size_t local);
  void close_input(Task& task);
  void take_input(const InputBytes& input, const Due& due);
  void note_exit(std::size_t local);

  // ---- epilogs of tasks (live_step_epilogs.cpp)
  void end_task(std::size_t local, stepd::TaskExited exited);
  TaskOrder epilog_order(std::size_t local, const TaskProgram& program) const;
  void run_next_epilog(std::size_t local);
  void note_epilog_exit(std::size_t local);
  void kill_epilogs();

  void pause_streams(bool pause);
  void settle_streams();
  void say(Message message);
  Failure settle_binding();

  // ---- of a step that only looks at another one: sattach's (live_step_attached.cpp)
  void attach(std::int32_t number);
  void detach();
  void offer(const StreamBytes& data);
  void tell_missed();
  template <class Do>
  void each_follower(Do&& act) {
    const std::vector<std::int32_t> all = followers_;  // some may leave
    for (const std::int32_t number : all)
      if (const auto step = around_.steps.find(number); step != around_.steps.end())
        act(*step->second);
  }

  StepLaunch launch_;
  const StepSurroundings& around_;
  StepRun run_;
  StepBegin begin_;
  std::unique_ptr<Connection> link_;
  std::unique_ptr<StepMpi> mpi_;
  std::string cannot_start_;  // why there is no MPI, or no binding, though it is asked for
  StepBinding binding_;
  IdSet own_cpus_;  // of its tasks together, where they are bound
  std::vector<Task> tasks_;
  std::int64_t credit_ = 0;  // bytes that may be sent
  Due input_due_ = std::make_shared<std::int64_t>(0);
  std::optional<std::int32_t> attached_to_;  // another step
  std::vector<std::int32_t> followers_;      // steps that are attached to this one
  // What did not go to a slow one of them.
  std::map<std::pair<std::int32_t, StreamName>, std::int64_t> missed_;
  bool input_ended_ = false;
  bool is_paused_ = false;
  bool is_detached_ = false;
  bool is_killed_ = false;  // no epilog begins any more
  std::size_t epilogs_running_ = 0;
  bool streams_settled_ = false;
  bool has_report_ = false;
  bool is_forgotten_ = false;
};

}  // namespace cox
