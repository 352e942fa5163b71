// StepRun: what the step daemon does about one step on its node, as a pure state machine. It takes
// events and the time `now`, and returns actions, which worker/stepd/io carries out. The client is
// the step's srun.
//
// Events, and the actions (→) that follow:
//   STARTUP    Ordered → ConnectToClient. BeginReceived (srun has sent the commands) → StartTasks.
//   OPERATION  TaskExited → SendToClient(TaskEnded). The step's time limit, a stop or a lost
//              client: SIGCONT and SIGTERM, after kill_wait SIGKILL.
//   TEARDOWN   all tasks have exited → KillLeftovers. The streams have ended, or streams_wait is
//              over (it does not run while srun gives no credit) → ReadRest if the streams are
//              open, SendToClient(StepLeft), Report (Gone). Released (srun has received
//              everything), a lost client, or release_wait is over → Forget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.h"
#include "common/job/step.h"
#include "common/messages/messages.h"

namespace cox {
namespace stepd {

struct Ordered {};
struct BeginReceived {};
struct TasksStarted {
  std::vector<std::int64_t> pids;  // of all tasks on this node; 0: the task never ran
};
struct TaskExited {
  std::size_t local = 0;  // index into StepLaunch::ranks
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool core_dumped = false;
  bool out_of_memory = false;
  StepUsage usage{};
  std::string note{};  // why the task never ran; empty: it ran
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};
struct StreamsEnded {};  // of all tasks
struct StreamsPaused {   // true: the tasks' output is not read until srun gives credit
  bool held = false;
};
struct Aborted {  // a task of an MPI program asks to end all tasks, also on other nodes
  std::string why;
};
struct Released {};    // srun has received everything
struct SuspendedFor {  // the job was suspended for this time: every time limit moves by it
  Milliseconds time{0};
};
struct StopOrdered {};  // the controller has ordered to end the step
struct ClientLost {};
struct Tick {};

using Event =
    std::variant<Ordered, BeginReceived, TasksStarted, TaskExited, StreamsEnded, StreamsPaused,
                 Aborted, Released, SuspendedFor, StopOrdered, ClientLost, Tick>;

struct ConnectToClient {};
struct StartTasks {};
struct SignalAll {
  std::int32_t signal = 0;
};
// Kills tasks that still run, and the processes that tasks have left behind.
struct KillLeftovers {};
// Reads the rest of the output from the pipes. They may never end, since processes that outlive the
// tasks keep them open.
struct ReadRest {};
struct SendToClient {  // send the message to srun
  Message message;
};
struct Report {};  // send StepRun::status() to the supervisor
struct Forget {};  // the step is over: remove it

using Action = std::variant<ConnectToClient, StartTasks, SignalAll, KillLeftovers, ReadRest,
                            SendToClient, Report, Forget>;

}  // namespace stepd

class StepRun {
 public:
  // How long to wait for srun's commands (begin_wait), for the end of streams that a process which
  // outlives the tasks keeps open (streams_wait), and for srun to receive everything
  // (release_wait).
  static constexpr Milliseconds begin_wait{60'000};
  static constexpr Milliseconds streams_wait{5'000};
  static constexpr Milliseconds release_wait{60'000};

  explicit StepRun(const StepLaunch& launch);

  std::vector<stepd::Action> on(const stepd::Event& event, Now now);
  const StepStatus& status() const { return status_; }
  // The first note is sent to srun and the controller with the step's end.
  void add_note(const std::string& note);
  // Returns when the next Tick is due; none: the state changes only by other events.
  std::optional<Boot> wakeup() const;

 private:
  enum class Stage : std::uint8_t { Calling, Running, Closing, Leaving, Gone };

  void handle(const stepd::Ordered&, Now now);
  void handle(const stepd::BeginReceived&, Now now);
  void handle(const stepd::TasksStarted&, Now now);
  void handle(const stepd::TaskExited&, Now now);
  void handle(const stepd::StreamsEnded&, Now now);
  void handle(const stepd::StreamsPaused& streams, Now now);
  void handle(const stepd::Aborted& aborted, Now now);
  void handle(const stepd::Released&, Now now);
  void handle(const stepd::SuspendedFor& stood, Now now);
  void handle(const stepd::StopOrdered&, Now now);
  void handle(const stepd::ClientLost&, Now now);
  void handle(const stepd::Tick&, Now) {}

  void advance(Now now);
  void end(Now now);  // ends the step; if tasks run, signals them first
  void leave(Now now);
  void forget();

  StepStatus status_;
  std::vector<std::int32_t> ranks_;
  Milliseconds time_limit_;  // 0: none
  Milliseconds kill_wait_;
  Stage stage_ = Stage::Calling;
  std::size_t left_;  // number of tasks that have not exited
  bool stopped_ = false;
  bool aborted_ = false;
  bool client_lost_ = false;
  bool streams_ended_ = false;
  bool streams_paused_ = false;
  std::optional<Boot> limit_at_;
  std::optional<Boot> kill_at_;
  Boot give_up_at_{};  // when the wait of stage Calling, Closing or Leaving ends
  std::vector<stepd::Action> actions_;
};

}  // namespace cox
