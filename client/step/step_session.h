// StepSession: what srun, sattach and sbcast do while their step runs, as a pure state machine.
// on() takes an event and returns actions; client/io/step/step_loop carries them out.
//
//   CREATION   Sends RequestStep, until the controller reports that the step is RUNNING. Then
//              opens the files, and sends StepBegin to each node that connects.
//   OPERATION  Writes the tasks' output, and then returns credit for it to the node. Sends input
//              as far as every node has credit. Forwards signals to the tasks.
//   END        When every node has left and the controller has reported the end: is_over().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "client/step/step_plan.h"
#include "client/step/task_ends.h"
#include "client/text/whole_lines.h"
#include "common/base/backoff.h"
#include "common/base/time.h"
#include "common/messages/messages.h"

namespace cox {
namespace srun {

// Where text goes: the tasks' stdout, the tasks' stderr, or srun's own messages on stderr.
enum class Sink : std::uint8_t { Output, Error, Messages };

struct Started {};
struct Answered {  // the controller's reply to RequestStep
  StepShown step;
};
struct Denied {
  Refusal why;
  bool retry = false;
};
struct ControllerSilent {  // the controller does not answer; step_loop keeps trying
  Refusal why;
};
struct EndAccepted {};  // the controller has accepted the request of EndStep
struct MessageReceived {
  std::string peer;
  Message message;
};
struct Signalled {
  std::int32_t number = 0;
};
struct InputRead {
  std::string data;
};
struct InputEnded {};
struct Written {  // the text of a Write was written or dropped
  std::int32_t node = -1;
  std::int64_t credit = 0;
};
struct SinkLost {
  Sink sink = Sink::Output;
  std::string why;  // an error message; empty: the reader has closed the pipe
};
struct FilesFailed {
  Refusal why;
};
struct Resized {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
};
struct Tick {};

using Event =
    std::variant<Started, Answered, Denied, ControllerSilent, EndAccepted, MessageReceived,
                 Signalled, InputRead, InputEnded, Written, SinkLost, FilesFailed, Resized, Tick>;

struct RequestStep {  // sends CreateStep
  JobState known = JobState::Pending;
  Milliseconds wait{0};
};
struct EndStep {            // sends SignalJobs, repeatedly, until the controller accepts it
  std::int32_t signal = 0;  // SIGKILL: kills the tasks at once; 0: they get SIGTERM first
};
struct SendMessage {
  std::string peer;
  Message message;
};
struct Write {
  Sink sink = Sink::Messages;
  std::string text;
  std::int32_t node = -1;  // number of the node that gets `credit` bytes back; -1: none
  std::int64_t credit = 0;
};
struct OpenFiles {  // opens the files of the routes that srun itself reads and writes
  StepRoutes routes;
};

using Action = std::variant<RequestStep, EndStep, SendMessage, Write, OpenFiles>;

}  // namespace srun

class StepSession {
 public:
  struct Settings {
    StepPlan plan;
    std::int32_t umask = 022;
    std::int32_t rows = 0;  // size of the user's terminal, for --pty
    std::int32_t columns = 0;
    TimeZone zone;
    int exit_error = 1;
    int exit_immediate = 1;
    std::string program = "srun";  // name before messages: srun, sattach or sbcast
    // whether to print how tasks failed; false for sbcast, whose tasks print their errors
    bool shows_ends = true;
    // For sattach: the step that the user watches. The session's own step has no tasks
    // (common/messages/attachment.h).
    std::optional<StepView> attached{};
    std::optional<StepRoutes> routes{};  // of the streams; empty: from --output, --error, --input
  };

  static constexpr Milliseconds ask_wait{20'000};
  static constexpr Milliseconds ask_anew_after{1'000};
  // shortest and longest pause before RequestStep is repeated, if the controller refused it only
  // for now
  static constexpr Milliseconds retry_first{1'000};
  static constexpr Milliseconds retry_most{8'000};
  // When all nodes have left: longest wait for the controller's report of the end.
  static constexpr Milliseconds leave_wait{5'000};
  // When the controller has reported an ordinary end, of a step that was not asked to stop: longest
  // wait for the last output from nodes. Otherwise it is leave_wait.
  static constexpr Milliseconds node_wait{30'000};
  static constexpr Milliseconds interrupt_again{1'000};
  // seconds added to kill_wait, as Slurm's STEP_ABORT_TIME
  static constexpr std::int64_t abort_s = 2;

  explicit StepSession(Settings settings);
  StepSession(const StepSession&) = delete;

  std::vector<srun::Action> on(const srun::Event& event, Now now);
  // Returns when the caller must pass a Tick, if no other event comes first.
  std::optional<Boot> wakeup() const;
  bool is_over() const { return exit_code_.has_value(); }
  int exit_code() const { return exit_code_.value_or(0); }

  // Returns how many bytes of srun's standard input may be read and sent to the nodes now.
  std::size_t input_room() const;
  // Returns the step as the controller last reported it; empty before its first reply.
  const std::optional<StepView>& step() const { return step_; }

 private:
  struct Node {
    std::string name;
    std::string peer;  // address of the node's connection; empty: not connected yet
    std::vector<std::int32_t> ranks;
    std::set<std::int32_t> ended;
    std::set<std::int32_t> failed;                    // tasks that failed
    std::optional<std::vector<std::int64_t>> pids{};  // process ids, in the order of `ranks`
    std::vector<std::int32_t> early_signals{};        // for its tasks, from before it connected
    bool left = false;
    std::int64_t input_room = input_credit;
    std::int64_t credit_due = 0;
  };

  void handle(const srun::Started&, Now now);
  void handle(const srun::Answered& shown, Now now);
  void handle(const srun::Denied& refused, Now now);
  void handle(const srun::ControllerSilent& silence, Now now);
  void handle(const srun::EndAccepted&, Now now);
  void handle(const srun::MessageReceived& received, Now now);
  void handle(const srun::Signalled& signal, Now now);
  void handle(const srun::InputRead& read, Now now);
  void handle(const srun::InputEnded&, Now now);
  void handle(const srun::Written& written, Now now);
  void handle(const srun::SinkLost& lost, Now now);
  void handle(const srun::FilesFailed& failed, Now now);
  void handle(const srun::Resized& size, Now now);
  void handle(const srun::Tick&, Now) {}

  void on(std::size_t at, const TasksBegun& begun, Now now);
  void on(std::size_t at, const StreamBytes& data, Now now);
  void on(std::size_t at, const StreamEnd& end, Now now);
  void on(std::size_t at, const TaskEnded& ended, Now now);
  void on(std::size_t at, const StepLeft& left, Now now);
  void on(std::size_t at, const InputCredit& credit, Now now);
  void on(std::size_t at, const StepGather& gather, Now now);
  template <class Other>
  void on(std::size_t, const Other&, Now) {}

  void adopt();
  void join(const std::string& peer, const StepJoin& joined);
  std::vector<std::int32_t> attached_ranks(const std::string& node) const;
  void advance(Now now);
  void finish();
  void end_step(std::int32_t signal = 0);
  void detach(int exit_code);
  void interrupted(Now now);
  void force_end();
  void say_aborted();
  void give_up_waiting(const std::string& why, int exit_code, Now now);

  bool runs() const { return !nodes_.empty(); }
  bool gets_input(const Node& node) const;
  std::int64_t node_credit() const;
  srun::Sink sink_of(StreamName stream) const;
  void credit(std::size_t at, std::int64_t bytes);
  void send(const Node& node, Message message);
  void signal_tasks(std::int32_t signal);
  void write_rest();
  std::string own_name() const { return settings_.program + ": "; }
  void say(const std::string& text);       // "srun: TEXT"
  void complain(const std::string& text);  // "srun: error: TEXT"
  void warn(const std::string& text);      // "slurmstepd: error: TEXT"
  void show_ends(const std::vector<std::string>& lines);
  void show_tasks();
  void show_processes();
  std::string id() const;  // "StepId=12.0"
  // Returns the step that has the tasks: for sattach the watched step, otherwise the own step.
  const StepView& shape() const { return settings_.attached ? *settings_.attached : *step_; }

  Settings settings_;
  Backoff retry_;
  const StepOptions& asked_;
  std::optional<StepView> step_;
  StepRoutes routes_;
  StepBegin begin_;
  std::vector<Node> nodes_;  // the step's nodes; empty until the step is RUNNING
  std::map<std::string, std::size_t> by_peer_;
  // peers and messages of nodes that connected before the controller reported RUNNING
  std::vector<std::pair<std::string, StepJoin>> early_;
  std::optional<WholeLines> lines_;  // nothing: output is printed as it arrives, not by lines
  TaskEnds ends_;
  // By number of a PMI fence: the data of each node (by its index), until all nodes have sent
  // theirs.
  std::map<std::int64_t, std::map<std::size_t, std::string>> gathers_;
  std::set<std::string> notes_;    // notes of nodes that were printed already
  std::optional<JobState> final_;  // the final state that the controller reported
  std::optional<int> abandoned_;   // set if srun gave up a step that never ran: its exit code
  bool printed_waits_ = false;
  bool printed_silence_ = false;
  bool ending_ = false;
  bool input_over_ = false;
  bool output_lost_ = false;
  std::optional<Boot> request_at_;  // when to send the next RequestStep
  std::optional<Boot> immediate_at_;
  std::optional<Boot> wait_at_;
  std::optional<Boot> leave_at_;
  std::optional<Boot> interrupted_at_;
  bool killed_ = false;            // --wait: the time is over, and SIGKILL was requested
  bool forced_ = false;            // the user ended the step with Ctrl-C
  bool printed_aborted_ = false;   // "Job step aborted" was printed
  bool killed_by_signal_ = false;  // SIGKILL or SIGTERM has ended a task
  std::int64_t kill_wait_ms_ = 0;  // ms from SIGTERM to SIGKILL; 0: unknown
  std::optional<int> exit_code_;
  std::vector<srun::Action> actions_;
};

}  // namespace cox
