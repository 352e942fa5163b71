// StepRun: what the step daemon does about one step on its node, as a pure state machine. Events
// say what happened, the answer says what to do next; time comes in as `now`. worker/stepd/io
// carries the actions out.
//
//   STARTUP    Ordered → CallClient. BeginAsked (what srun wants run) → StartTasks.
//   OPERATION  TaskExited → Say(TaskEnded). Its limit, a stop, a client that is gone: SIGCONT and
//              SIGTERM, after kill_wait SIGKILL.
//   TEARDOWN   all tasks have exited → KillLeftovers; the streams have ended, or time is up (it
//              stands still while srun takes no more output) → ReadRest if they have not,
//              Say(StepLeft), Report (Gone). Released (srun has it all), a client that is
//              gone, or time is up → Forget.
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
struct BeginAsked {};
struct TasksStarted {
  std::vector<std::int64_t> pids;  // of all; 0: it never ran
};
struct TaskExited {
  std::size_t local = 0;  // which of the launch's ranks
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool core_dumped = false;
  bool out_of_memory = false;
  StepUsage usage{};
  std::string note{};  // it never ran: why
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
};
struct StreamsEnded {};  // of all tasks
struct StreamsHeld {     // srun has given no more credit; or it has again
  bool held = false;
};
struct Aborted {  // a task of an MPI program asks for the end of all, those elsewhere too
  std::string why;
};
struct Released {};  // by srun, which has all that was said
struct Stood {       // with its job, which was suspended: nothing of that time counts
  Milliseconds time{0};
};
struct StopAsked {};  // by the controller
struct ClientLost {};
struct Tick {};

using Event = std::variant<Ordered, BeginAsked, TasksStarted, TaskExited, StreamsEnded, StreamsHeld,
                           Aborted, Released, Stood, StopAsked, ClientLost, Tick>;

struct CallClient {};
struct StartTasks {};
struct SignalAll {
  std::int32_t signal = 0;
};
// SIGKILL to tasks that still run, and to whatever they have left behind.
struct KillLeftovers {};
// What is in the pipes: somebody who outlives the tasks holds them open.
struct ReadRest {};
struct Say {  // to the client
  Message message;
};
struct Report {};  // status(), to the supervisor
struct Forget {};  // nothing more comes of it

using Action =
    std::variant<CallClient, StartTasks, SignalAll, KillLeftovers, ReadRest, Say, Report, Forget>;

}  // namespace stepd

class StepRun {
 public:
  // For what srun wants run; for streams that somebody who outlives the tasks holds open; and until
  // srun has taken all that was said.
  static constexpr Milliseconds begin_wait{60'000};
  static constexpr Milliseconds streams_wait{5'000};
  static constexpr Milliseconds release_wait{60'000};

  explicit StepRun(const StepLaunch& launch);

  std::vector<stepd::Action> on(const stepd::Event& event, Now now);
  const StepStatus& status() const { return status_; }
  void add_note(const std::string& note);  // for people: told with the step's end
  // When a Tick is due, if nothing else happens before.
  std::optional<Boot> wakeup() const;

 private:
  enum class Stage : std::uint8_t { Calling, Running, Closing, Leaving, Gone };

  void handle(const stepd::Ordered&, Now now);
  void handle(const stepd::BeginAsked&, Now now);
  void handle(const stepd::TasksStarted&, Now now);
  void handle(const stepd::TaskExited&, Now now);
  void handle(const stepd::StreamsEnded&, Now now);
  void handle(const stepd::StreamsHeld& streams, Now now);
  void handle(const stepd::Aborted& aborted, Now now);
  void handle(const stepd::Released&, Now now);
  void handle(const stepd::Stood& stood, Now now);
  void handle(const stepd::StopAsked&, Now now);
  void handle(const stepd::ClientLost&, Now now);
  void handle(const stepd::Tick&, Now) {}

  void advance(Now now);
  void end(Now now);  // its tasks, as far as there are any
  void leave(Now now);
  void forget();

  StepStatus status_;
  std::vector<std::int32_t> ranks_;
  Milliseconds time_limit_;  // 0: none
  Milliseconds kill_wait_;
  Stage stage_ = Stage::Calling;
  std::size_t left_;  // tasks that have not exited
  bool stopped_ = false;
  bool aborted_ = false;
  bool client_lost_ = false;
  bool streams_ended_ = false;
  bool streams_held_ = false;
  std::optional<Boot> limit_at_;
  std::optional<Boot> kill_at_;
  Boot give_up_at_{};  // Calling, Closing, Leaving
  std::vector<stepd::Action> actions_;
};

}  // namespace cox
