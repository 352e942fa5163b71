// One step of srun on this node: its link to the client (srun), its tasks and their streams. It
// carries out the actions that StepRun returns.
//
// Nothing blocks here: Watches watches the descriptors, and Stepd calls on_ready(). Output is read
// only as far as the client has given credit; the rest stays in the tasks' pipes.
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

// The CPUs of the attempt on this node, for its tasks.
struct AttemptCpus {
  // CPUs for bound tasks; empty: none could be claimed; `why` has the reason.
  std::vector<CpuPlace> cpus;
  std::string why;
  IdSet usable;  // CPUs for tasks that are not bound
  bool one_ldom = true;
};

// What all steps of the attempt on this node share.
struct StepSurroundings {
  LaunchSpec job;
  GoOrder go;
  std::string folder;  // the supervisor's
  std::shared_ptr<LinkContext> context;
  Poller& poller;
  Watches& watches;
  PmixHost& pmix;
  const LiveSteps& steps;  // all steps of the attempt on this node
  AttemptCpus cpus;
  Now now{};  // when this round of Stepd's loop began
};

class LiveStep {
 public:
  LiveStep(StepLaunch launch, const StepSurroundings& around);
  ~LiveStep();
  LiveStep(const LiveStep&) = delete;

  void feed(const stepd::Event& event);
  void receive();  // handles messages that srun has sent
  void carry_out(const std::vector<MpiEvent>& words);
  void on_ready(std::size_t local, Watches::Kind kind);
  enum class Reach : std::uint8_t {
    Task,   // signals only the task's own process
    Group,  // signals all processes of the task's group
  };
  void signal(std::int32_t signal, std::int32_t rank, Reach reach);  // rank -1: all
  void give_input_credit(bool without_delay);

  std::int32_t number() const { return launch_.number; }
  std::optional<Boot> wakeup() const;
  void end_late_epilogs();
  bool is_forgotten() const { return is_forgotten_; }
  // Returns the step's status for the supervisor; none: it has not changed since the last call.
  std::optional<StepStatus> take_report();
  const StepStatus& status() const { return run_.status(); }

 private:
  // Bytes of input credit that are due to the client (srun or sattach) that sent the input.
  using Due = std::shared_ptr<std::int64_t>;
  struct Chunk {
    std::string data;
    std::int64_t cost = 0;
    Due due;
  };
  struct Task {
    TaskProcess process;
    std::string cannot_start;  // why the task could not be started
    bool has_exited = false;
    std::deque<std::shared_ptr<Chunk>> input;
    std::size_t written = 0;  // bytes of input.front() that were written
    bool writes = false;      // Watches waits until its input can take more
    // Used after the task's exit, while its epilogs run one after the other:
    // The task's exit, reported when all epilogs have ended.
    std::optional<stepd::TaskExited> exited;
    std::vector<TaskProgram> epilogs;  // not started yet
    TaskProcess epilog;                // the epilog that runs; pid 0: none
    Boot epilog_until{};               // when the running epilog is killed
  };

  void execute(const stepd::ConnectToClient&);
  void execute(const stepd::StartTasks&);
  void execute(const stepd::SignalAll& action);
  void execute(const stepd::KillLeftovers&);
  void execute(const stepd::ReadRest&);
  void execute(const stepd::SendToClient& action);
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
  // If the step asks for a container, changes the task's command so that it runs in one. Fails if
  // this node runs no containers.
  Failure put_into_container(TaskOrder& order) const;
  void open_mpi();
  void start(std::size_t local, const StepEnvironment& environment);
  // Returns the number of bytes read.
  std::size_t read_stream(std::size_t local, Watches::Kind kind);
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
  Failure resolve_binding();

  // ---- a step of sattach: no tasks, only copies of another step's output (live_step_attached.cpp)
  void attach(std::int32_t number);
  void detach();
  void offer(const StreamBytes& data);
  void report_missed();
  template <class Do>
  void each_follower(Do&& act) {
    const std::vector<std::int32_t> all = followers_;  // a copy, since `act` may remove followers
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
  // Why no task can start (MPI or the binding failed); empty: tasks can start.
  std::string cannot_start_;
  StepBinding binding_;
  IdSet own_cpus_;  // CPUs that this step's bound tasks use
  std::vector<Task> tasks_;
  // Input from sattach that came before the tasks started. Each sattach sends at most input_credit
  // bytes.
  std::vector<std::pair<InputBytes, Due>> early_input_;
  std::int64_t credit_ = 0;  // bytes of output that the client accepts now
  Due input_due_ = std::make_shared<std::int64_t>(0);
  std::optional<std::int32_t> attached_to_;  // another step
  std::vector<std::int32_t> followers_;      // numbers of the steps (sattach) attached to this one
  // If this is a step of sattach: the bytes of each rank's streams that were dropped because the
  // client gave no credit.
  std::map<std::pair<std::int32_t, StreamName>, std::int64_t> missed_;
  bool input_ended_ = false;
  bool is_paused_ = false;
  bool is_detached_ = false;
  bool is_killed_ = false;  // no epilog is started any more, since the step's processes were killed
  std::size_t epilogs_running_ = 0;
  bool streams_settled_ = false;
  bool has_report_ = false;
  bool is_forgotten_ = false;
};

}  // namespace cox
